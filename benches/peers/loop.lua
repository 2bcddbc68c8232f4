-- The loop that spec-lang runs, as a `while` or as a function that calls itself last: prints the seconds that it took.
local kind, turns = arg[1], math.tointeger(arg[2])

local function with_while(n, sum)
  while n ~= 0 do
    n, sum = n - 1, sum + 1
  end
  return sum
end

local function with_calls(n, sum)
  if n == 0 then
    return sum
  end
  return with_calls(n - 1, sum + 1)
end

local loop = kind == "while" and with_while or with_calls
local begun = os.clock()
assert(loop(turns, 0) == turns)
print(os.clock() - begun)
