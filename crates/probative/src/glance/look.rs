//! Going through a text with all that is asked.

use super::check::Found;
use super::order::{Meaning, Order};
use super::{Asks, Glance, MOST_SEQUENCES, Spot};
use crate::value::scan::{Keys, Kind, Open, Passed, Scanner, Stop};
use crate::value::tree::SURELY_FEW_ENOUGH;

/// How many bytes before a text an escape can begin that reaches it.
const LONGEST_ESCAPE: usize = 5;

/// Goes through one text after the other, and is faster where they are alike.
#[derive(Debug)]
pub struct Look<'g, 'q> {
    glance: &'g Glance<'q>,
    /// The keys that objects had, by their spot.
    orders: Vec<Order>,
    /// What was met of the contents of an array.
    met: Vec<u64>,
    /// Memory for the keys of objects that are skipped, and of others that nobody asks about.
    skipped: Keys,
    others: Keys,
}

/// Others must judge.
#[derive(Debug)]
struct Unsure;

impl From<Stop> for Unsure {
    fn from(_: Stop) -> Self {
        Unsure
    }
}

impl<'g, 'q> Look<'g, 'q> {
    pub(super) fn new(glance: &'g Glance<'q>) -> Look<'g, 'q> {
        let orders = glance.spots.iter().map(|_| Order::default()).collect();
        Look { glance, orders, met: Vec::new(), skipped: Keys::default(), others: Keys::default() }
    }

    /// Whether a JSON text passes all that is asked, for certain, and nothing about it needs to be told. If not, it may
    /// still pass.
    pub fn passes(&mut self, json: &[u8]) -> bool {
        // Text that is not UTF-8 or holds more than a tree may is refused by those who read it whole.
        if json.len() >= SURELY_FEW_ENOUGH || !self.glance.mentions.iter().all(|text| mentions(json, text)) {
            return false;
        }
        let Ok(text) = simdutf8::basic::from_utf8(json) else { return false };
        let mut walk = Walk {
            spots: &self.glance.spots,
            orders: &mut self.orders,
            scanner: Scanner::with_keys(text, std::mem::take(&mut self.skipped)),
            text,
            keys: std::mem::take(&mut self.others).none(),
            before: [const { None }; MOST_SEQUENCES],
            met: &mut self.met,
        };
        let walked = walk.value(0).and_then(|()| Ok(walk.scanner.end()?));
        let passes = walked.is_ok() && !walk.scanner.repeated_keys() && !walk.keys.repeated();
        (self.skipped, self.others) = (walk.scanner.into_keys(), walk.keys);
        passes
    }
}

/// Whether a text that is written as it reads stands in a string or a key.
fn mentions(json: &[u8], text: &memchr::memmem::Finder<'_>) -> bool {
    text.find_iter(json).any(|at| !json[at.saturating_sub(LONGEST_ESCAPE)..at].contains(&b'\\'))
}

struct Walk<'t, 'l, 'q> {
    spots: &'l [Spot<'q>],
    orders: &'l mut [Order],
    scanner: Scanner<'t>,
    text: &'t str,
    /// The keys of the open objects that nobody asks about.
    keys: Keys,
    /// The value before, for each check that compares.
    before: [Option<Found<'t>>; MOST_SEQUENCES],
    met: &'l mut Vec<u64>,
}

impl<'t, 'l, 'q> Walk<'t, 'l, 'q> {
    /// Asks a spot, by its number, of the value that comes next.
    fn value(&mut self, number: usize) -> Result<(), Unsure> {
        let spot = self.spots.get(number).ok_or(Unsure)?;
        if spot.asks == Asks::Nothing {
            return self.pass();
        }
        match self.scanner.peek()? {
            Kind::Object if spot.asks != Asks::Array => {
                if !spot.checks.is_empty() {
                    self.whole(spot)?;
                }
                self.object(spot, number)
            }
            Kind::Array if spot.required == 0 => {
                if !spot.checks.is_empty() {
                    self.whole(spot)?;
                }
                self.array(spot)
            }
            _ if spot.required != 0 || spot.asks == Asks::Array => Err(Unsure),
            kind => self.scalar(spot, kind),
        }
    }

    /// Passes over a value that nobody asks about.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "most values are short, and a call costs more than passing one")]
    fn pass(&mut self) -> Result<(), Unsure> {
        self.scanner.pass()?;
        Ok(())
    }

    /// Checks a value that holds no others and starts here.
    ///
    /// Each is checked where it is read: to hand it over takes longer.
    #[inline]
    fn scalar(&mut self, spot: &'l Spot<'q>, kind: Kind) -> Result<(), Unsure> {
        match kind {
            Kind::String => {
                let text = self.scanner.string_here()?;
                self.check(spot, &Found::Text(text))
            }
            Kind::Number => {
                let number = self.scanner.number_here()?;
                self.check(spot, &Found::Number(number))
            }
            Kind::Bool => {
                let value = self.scanner.bool()?;
                self.check(spot, &Found::Bool(value))
            }
            Kind::Null => {
                self.scanner.null()?;
                self.check(spot, &Found::Null)
            }
            Kind::Array | Kind::Object => Err(Unsure),
        }
    }

    #[inline]
    fn check(&mut self, spot: &'l Spot<'q>, found: &Found<'t>) -> Result<(), Unsure> {
        let passes = spot.checks.iter().all(|check| check.passes(found, &mut self.before));
        if passes { Ok(()) } else { Err(Unsure) }
    }

    /// Checks an array or object that is yet to be gone through.
    #[cold]
    fn whole(&mut self, spot: &'l Spot<'q>) -> Result<(), Unsure> {
        let written = Scanner::starting_at(self.text, self.scanner.at()).skip()?;
        let value = serde_json::from_str(written).map_err(|_| Unsure)?;
        self.check(spot, &Found::Whole(value))
    }

    /// Goes through an object, along the keys that the one before it had as far as they are the same.
    fn object(&mut self, spot: &'l Spot<'q>, number: usize) -> Result<(), Unsure> {
        self.scanner.open_object()?;
        let (mut seen, mut known) = (0, 0);
        loop {
            let order = self.orders.get(number).ok_or(Unsure)?;
            let Some(Meaning { bit, spot }) = order.follow(&mut self.scanner, &mut known) else { break };
            if seen & bit != 0 {
                return Err(Unsure);
            }
            seen |= bit;
            match spot {
                Some(spot) => self.value(spot)?,
                None => self.pass()?,
            }
        }
        if !self.scanner.closes() {
            self.rest(spot, number, &mut seen, known)?;
        }
        if seen & spot.required == spot.required { Ok(()) } else { Err(Unsure) }
    }

    /// What is asked of the value of a key.
    fn meaning(&self, spot: &'l Spot<'q>, key: &str) -> Result<Meaning, Unsure> {
        let Some(position) = spot.members.iter().position(|member| member.name == key) else {
            return Ok(Meaning::default());
        };
        let member = spot.members[position].spot;
        let asks = self.spots.get(member).ok_or(Unsure)?.asks;
        Ok(Meaning { bit: 1 << position, spot: (asks != Asks::Nothing).then_some(member) })
    }

    /// Goes through the rest of an object, the keys of which are not as they were before from the one at `known` on.
    fn rest(
        &mut self,
        spot: &'l Spot<'q>,
        number: usize,
        seen: &mut u64,
        known: usize,
    ) -> Result<(), Unsure> {
        let mut learned =
            self.orders.get(number).is_some_and(Order::learns).then(|| self.orders[number].until(known));
        let mut others = self.keys.open(Open::default(), b'}');
        let mut first = known == 0;
        loop {
            let from = self.scanner.at();
            let Some(label) = self.scanner.next_label()? else { break };
            let key = label.read(self.text)?;
            let meaning = self.meaning(spot, &key)?;
            if let Some(order) = &mut learned {
                order.learn(self.scanner.way_from(from, first), meaning, &key);
            }
            first = false;
            let is_repeated = match meaning.bit {
                // One of those that came before, or might have.
                0 => self.orders[number].has_before(known, &key),
                bit => *seen & bit != 0,
            };
            if is_repeated {
                return Err(Unsure);
            }
            if meaning.bit == 0 {
                self.keys.note(&mut others, self.text, label);
            }
            *seen |= meaning.bit;
            match meaning.spot {
                Some(spot) => self.value(spot)?,
                None => self.pass()?,
            }
        }
        self.keys.close(others, self.text);
        if self.keys.repeated() {
            return Err(Unsure);
        }
        self.orders[number].replace(learned);
        Ok(())
    }

    fn array(&mut self, spot: &'l Spot<'q>) -> Result<(), Unsure> {
        self.scanner.open_array()?;
        let length = match spot.items {
            Some(items) => self.items(|walk| walk.value(items))?,
            None if spot.contents.is_empty() => self.items(Self::pass)?,
            None => self.contents(spot)?,
        };
        let (least, most) = spot.length.unwrap_or((0, u64::MAX));
        if (least..=most).contains(&length) { Ok(()) } else { Err(Unsure) }
    }

    /// Does something with every item, and answers how many there are.
    #[inline]
    fn items(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), Unsure>) -> Result<u64, Unsure> {
        let mut length = 0;
        while self.scanner.next_item()? {
            length += 1;
            each(self)?;
        }
        Ok(length)
    }

    /// Looks an array through for what it must contain, and answers how many items there are.
    fn contents(&mut self, spot: &'l Spot<'q>) -> Result<u64, Unsure> {
        self.met.clear();
        self.met.resize(spot.contents.len(), 0);
        let length = self.items(|walk| walk.item(spot))?;
        let mut contents = spot.contents.iter().zip(&*self.met);
        if contents.all(|(contents, met)| contents.passes(*met)) { Ok(length) } else { Err(Unsure) }
    }

    /// Looks whether the next item is one that the array is looked through for.
    #[inline]
    fn item(&mut self, spot: &'l Spot<'q>) -> Result<(), Unsure> {
        let Passed { start, escaped, .. } = self.scanner.pass()?;
        let written = self.text.as_bytes().get(start..self.scanner.at()).ok_or(Unsure)?;
        let mut contents = spot.contents.iter().zip(&mut *self.met);
        let goes_on = match written {
            // Most are texts that are looked for as they are written.
            [b'"', text @ .., b'"'] if !escaped => {
                contents.all(|(contents, met)| contents.meet_text(text, met))
            }
            [b'[' | b'{', ..] => true,
            _ => {
                let found = Found::scalar(&mut Scanner::starting_at(self.text, start))?;
                contents.all(|(contents, met)| contents.meet(&found, met))
            }
        };
        if goes_on { Ok(()) } else { Err(Unsure) }
    }
}
