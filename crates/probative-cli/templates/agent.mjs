// @ts-check
// A stand-in for your agent. It reads its input as JSON from stdin, and prints what it said (response) and what it
// did (trajectory) as JSON to stdout. Replace `answer` with your agent; probative.toml says how to start it.
// TypeScript checks the types in the comments; Node.js runs the file as is.

import { readFileSync } from "node:fs";

/** @typedef {{ order: number, message: string }} Request */
/** @typedef {{ status: "success" | "error", message: string }} Response */
/** @typedef {{ id: string, type: "function", function: { name: string, arguments: string } }} ToolCall */
/** @typedef {{ role: string, content?: string, tool_calls?: ToolCall[], tool_call_id?: string }} Message */

/** @type {Record<number, { item: string, price: number }>} */
const orders = { 4711: { item: "mug", price: 18.5 } };

const tools = {
  /** @param {{ order: number }} args */
  lookup_order: ({ order }) => orders[order] ?? null,
  /** @param {{ order: number, amount: number }} _args */
  refund: (_args) => ({ id: "RF-1" }),
};

/**
 * Calls a tool, and records the call and its result as OpenAI messages do.
 *
 * @template {keyof typeof tools} Name
 * @param {Message[]} messages
 * @param {Name} name
 * @param {Parameters<typeof tools[Name]>[0]} args
 * @returns {ReturnType<typeof tools[Name]>}
 */
function call(messages, name, args) {
  const id = `call_${messages.length}`;
  const call = { name, arguments: JSON.stringify(args) };
  messages.push({ role: "assistant", tool_calls: [{ id, type: "function", function: call }] });
  const tool = /** @type {any} */ (tools[name]);
  const result = tool(args);
  messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result) });
  return result;
}

/**
 * Decides what to do. Here a real agent asks a model.
 *
 * @param {Request} request
 * @param {Message[]} messages
 * @returns {Response}
 */
function answer(request, messages) {
  const order = call(messages, "lookup_order", { order: request.order });
  if (order === null) {
    return { status: "error", message: "I can't find that order." };
  }
  // TRY: replace the next line with  const receipt = { id: "RF-1" };
  const receipt = call(messages, "refund", { order: request.order, amount: order.price });
  return { status: "success", message: `Your refund ${receipt.id} is on its way.` };
}

/** @type {Request} */
const request = JSON.parse(readFileSync(0, "utf8"));
/** @type {Message[]} */
const messages = [{ role: "user", content: request.message }];
const response = answer(request, messages);
messages.push({ role: "assistant", content: response.message });
// With the list of tools, a case can tell that a tool was available but not called.
const declared = Object.keys(tools).map((name) => ({ type: "function", function: { name } }));
console.log(JSON.stringify({ response, trajectory: { messages, tools: declared } }));
