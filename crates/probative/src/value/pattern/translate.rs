//! From the parsed tree to the syntax that both engines share.

use std::collections::BTreeMap;

use super::parse::{Group, Parsed};
use super::scans::{Scans, scans};
use super::syntax::{Anchor, Branches, Category, Look, Member, Node, Piece, Set, SetItem, Style, Times};
use super::toil::Toil;
use super::{PatternError, refuse};

/// A pattern for the engines. Flags are spelt out or resolved: it needs none from outside.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) source: String,
    /// It uses what only the backtracking engine can do.
    pub(super) backtracks: bool,
    /// It refers to a group under `(?i)`.
    pub(super) folds_references: bool,
    /// It may start anywhere and go on without bound, so that trying it at every place may take quadratic time.
    pub(super) roams: bool,
    /// How many characters are looked at, at most, before something must be taken back; `u64::MAX` stands for no bound.
    pub(super) effort: u64,
    /// How many states an engine may be in at once, at most, wherever it is in the pattern.
    pub(super) states: u64,
    /// What may be read between two steps back.
    pub(super) scans: Scans,
}

/// For whoever asks whether it matches.
pub(super) fn translate(parsed: &Parsed) -> Result<Translation, PatternError> {
    translated(parsed, false)
}

/// For whoever asks what it and its groups match: no piece takes more text than it should, and every group catches.
pub(super) fn translate_exactly(parsed: &Parsed) -> Result<Translation, PatternError> {
    translated(parsed, true)
}

fn translated(parsed: &Parsed, catches: bool) -> Result<Translation, PatternError> {
    let mut translator = Translator {
        out: Translation {
            source: String::new(),
            backtracks: false,
            folds_references: false,
            roams: false,
            effort: effort(&parsed.body, &parsed.groups),
            states: states(&parsed.body, &mut false),
            scans: scans(&parsed.body),
        },
        groups: &parsed.groups,
        numbers: BTreeMap::new(),
        toil: Toil::default(),
        catches,
    };
    let ignore_case = parsed.ignore_case;
    let place = Place { tail: !catches, ignore_case, atomic: false, repeated: Repeated::No };
    translator.enclosed(if ignore_case { "(?i:" } else { "(?:" }, &parsed.body, place)?;
    let starts_with_text =
        |branch: &Vec<Piece>| matches!(branch.first(), Some(Piece { node: Node::At(Anchor::TextStart), .. }));
    translator.out.roams &= !parsed.body.iter().all(starts_with_text);
    Ok(translator.out)
}

/// How many characters some branches look at, at most, on one way through them.
fn effort(branches: &Branches, groups: &[Group]) -> u64 {
    branches.iter().map(|branch| effort_of(branch, groups)).max().unwrap_or_default()
}

fn effort_of(pieces: &[Piece], groups: &[Group]) -> u64 {
    let one = |piece: &Piece| match &piece.node {
        Node::Literal(_) | Node::Any { .. } | Node::Set(_) | Node::At(_) => 1,
        Node::Repeat(item, times) => {
            let rounds = times.max.map_or(u64::MAX, |max| u64::from(max.max(1)));
            effort_of(std::slice::from_ref(item), groups).saturating_mul(rounds)
        }
        Node::Group { body, .. } | Node::Atomic(body) | Node::Look(_, body) => effort(body, groups),
        Node::Reference(number) => {
            let caught = number.checked_sub(1).and_then(|at| groups.get(at)?.width);
            caught.map_or(u64::MAX, |width| width.max.max(1))
        }
        Node::Conditional { yes, no, .. } => effort_of(yes, groups).max(effort_of(no, groups)),
    };
    pieces.iter().map(one).fold(0, u64::saturating_add)
}

/// How many places in some branches a search that began at one place may be at: all, with repetitions written out, but while
/// nothing of variable width came before, only one of something that is repeated so many times exactly.
fn states(branches: &Branches, varies: &mut bool) -> u64 {
    branches.iter().map(|branch| states_of(branch, varies)).fold(0, u64::saturating_add)
}

fn states_of(pieces: &[Piece], varies: &mut bool) -> u64 {
    let mut all = 0_u64;
    for piece in pieces {
        let is_moved = *varies;
        let states = match &piece.node {
            Node::Literal(_) | Node::Any { .. } | Node::Set(_) | Node::At(_) | Node::Reference(_) => 1,
            Node::Repeat(item, times) => {
                let item = states_of(std::slice::from_ref(item), varies);
                let is_exact = !is_moved && piece.width.min == piece.width.max;
                let rounds = if is_exact { 1 } else { times.max.unwrap_or(times.min).max(1) };
                item.saturating_mul(rounds.into())
            }
            Node::Group { body, .. } | Node::Atomic(body) | Node::Look(_, body) => states(body, varies),
            Node::Conditional { yes, no, .. } => states_of(yes, varies).saturating_add(states_of(no, varies)),
        };
        *varies |= piece.width.min != piece.width.max;
        all = all.saturating_add(states);
    }
    all
}

const MAY_TAKE_NO_TEXT: &str = "reference to a group in a repetition that can match the empty string";

struct Translator<'a> {
    out: Translation,
    groups: &'a [Group],
    /// The number under which the engine knows a group. Groups that nothing refers to get none.
    numbers: BTreeMap<usize, usize>,
    /// What its sets cost the engine that reads them.
    toil: Toil,
    /// Whether every group is told what it catches.
    catches: bool,
}

/// Where a piece stands in the pattern.
#[derive(Clone, Copy)]
struct Place {
    /// Nothing follows that could fail, up to the end of the pattern or of a look-ahead. There a piece may
    /// take more text than it should without changing the answer.
    tail: bool,
    ignore_case: bool,
    /// Inside an atomic group, where the order in which matches are tried decides the answer.
    atomic: bool,
    repeated: Repeated,
}

/// Whether a piece may be matched anew after it matched further on in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    No,
    Forward,
    /// A look-around that is repeated: its groups start over before the end of what they last caught.
    InLook,
}

impl Translator<'_> {
    fn push(&mut self, source: &str) {
        self.out.source.push_str(source);
    }

    /// The branches between `open`, which ends in an open group, and its parenthesis.
    fn enclosed(&mut self, open: &str, branches: &Branches, place: Place) -> Result<(), PatternError> {
        self.push(open);
        for (index, branch) in branches.iter().enumerate() {
            if index > 0 {
                self.push("|");
            }
            self.sequence(branch, place)?;
        }
        self.push(")");
        Ok(())
    }

    fn sequence(&mut self, pieces: &[Piece], place: Place) -> Result<(), PatternError> {
        let Some((last, before)) = pieces.split_last() else { return Ok(()) };
        for piece in before {
            self.piece(piece, Place { tail: false, ..place })?;
        }
        self.piece(last, place)
    }

    fn piece(&mut self, piece: &Piece, place: Place) -> Result<(), PatternError> {
        match &piece.node {
            Node::Literal(c) => self.literal(*c),
            Node::Any { newline: false } => self.push("."),
            Node::Any { newline: true } => self.push("(?s:.)"),
            Node::Set(set) => self.set(set, place.ignore_case)?,
            Node::At(anchor) => self.anchor(*anchor, place.tail),
            Node::Repeat(item, times) if piece.width.max == 0 => self.repeat_nothing(item, *times, place)?,
            Node::Repeat(item, times) => self.repeat(item, *times, place)?,
            Node::Group { capture, ignore_case, body } => {
                self.group(*capture, *ignore_case, body, place)?;
            }
            // Nothing that follows can ask an atomic group to try again.
            Node::Atomic(body) if place.tail => self.enclosed("(?:", body, place)?,
            Node::Atomic(body) => {
                self.out.backtracks = true;
                self.enclosed("(?>", body, Place { atomic: true, ..place })?;
            }
            // Nothing that follows needs the text back.
            Node::Look(Look::Ahead, body) if place.tail => self.enclosed("(?:", body, place)?,
            Node::Look(look, body) => self.look(*look, body, place)?,
            Node::Reference(group) => {
                self.out.backtracks = true;
                self.out.folds_references |= place.ignore_case;
                self.push(r"(?:\");
                self.number(*group);
                self.push(")");
            }
            Node::Conditional { group, yes, no } => self.conditional(*group, yes, no, place)?,
        }
        Ok(())
    }

    fn group(
        &mut self,
        capture: Option<usize>,
        ignore_case: bool,
        body: &Branches,
        place: Place,
    ) -> Result<(), PatternError> {
        let known = capture.and_then(|number| Some((number, self.groups.get(number.checked_sub(1)?)?)));
        if let Some((number, group)) = known.filter(|(_, group)| group.referenced) {
            if place.repeated == Repeated::InLook {
                return refuse(group.at, "reference to a group inside a repeated look-around");
            }
            self.out.backtracks = true;
            self.numbers.insert(number, self.numbers.len() + 1);
            // The look-ahead is always true. It keeps the engine from settling the group's choices for good
            // when only a condition asks for the group.
            return self.enclosed("((?=)", body, Place { tail: false, ..place });
        }
        if let Some((number, _)) = known.filter(|_| self.catches) {
            self.numbers.insert(number, self.numbers.len() + 1);
            return self.enclosed("(", body, Place { ignore_case, ..place });
        }
        let open = match (place.ignore_case, ignore_case) {
            (false, true) => "(?i:",
            (true, false) => "(?-i:",
            _ => "(?:",
        };
        self.enclosed(open, body, Place { ignore_case, ..place })
    }

    /// A look-around that matched is settled in Python, hence the atomic group; a negative one leaves nothing.
    fn look(&mut self, look: Look, body: &Branches, place: Place) -> Result<(), PatternError> {
        self.out.backtracks = true;
        let repeated = match place.repeated {
            Repeated::Forward | Repeated::InLook if !look.is_negative() => Repeated::InLook,
            _ => Repeated::No,
        };
        let place = Place { tail: !look.is_behind(), atomic: false, repeated, ..place };
        self.push(match look {
            Look::Ahead => "(?=",
            Look::NotAhead => "(?!",
            Look::Behind => "(?<=",
            Look::NotBehind => "(?<!",
        });
        self.enclosed(if look.is_negative() { "(?:" } else { "(?>" }, body, place)?;
        self.push(")");
        Ok(())
    }

    /// Two branches, each with its own test for the group. The engine's conditional with branches would undo
    /// the atomic group it stands in whenever it takes the second.
    fn conditional(
        &mut self,
        group: usize,
        yes: &[Piece],
        no: &[Piece],
        place: Place,
    ) -> Result<(), PatternError> {
        self.out.backtracks = true;
        self.push("(?:(?(");
        self.number(group);
        self.push("))");
        self.sequence(yes, place)?;
        self.push("|(?!(?(");
        self.number(group);
        self.push(")))");
        self.sequence(no, place)?;
        self.push(")");
        Ok(())
    }

    fn repeat(&mut self, item: &Piece, times: Times, place: Place) -> Result<(), PatternError> {
        let possessive = matches!(times.style, Style::Possessive) && !place.tail;
        if possessive {
            self.out.backtracks = true;
            self.push("(?>");
        }
        let repeated = match place.repeated {
            Repeated::No if times.max.is_none_or(|max| max > 1) => Repeated::Forward,
            repeated => repeated,
        };
        self.out.roams |= times.max.is_none();
        let atomic = place.atomic || possessive;
        // The linear engine, to which the other hands what it can, goes on after a round that takes no text,
        // Python does not. The look-ahead, always true, keeps the repetition here.
        let settles_order = atomic && item.width.min == 0;
        if settles_order {
            self.push("(?:(?=)");
        }
        let known_groups = self.numbers.len();
        self.piece(item, Place { tail: false, atomic, repeated, ..place })?;
        if settles_order {
            self.push(")");
        }
        let bounded = times.max.is_some_and(|max| max > 1 && max > times.min);
        if matches!(times.style, Style::Possessive) {
            // After one that fails, CPython may still hold what its groups caught.
            self.refuse_groups_since(known_groups, "reference to a group in a possessive repetition")?;
        } else if item.width.min == 0 && bounded {
            // Python ends a repetition at the first round that takes no text; the engine does so only
            // without a bound. Only what a group caught can tell.
            self.refuse_groups_since(known_groups, MAY_TAKE_NO_TEXT)?;
        }
        let quantifier = match (times.min, times.max) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        };
        self.push(&quantifier);
        if matches!(times.style, Style::Lazy) {
            self.push("?");
        }
        if possessive {
            self.push(")");
        }
        Ok(())
    }

    /// What takes no text is asked for once, or need not be asked for at all: `(?=a)+` is `(?=a)`, and `(?=a)*`
    /// is nothing, like `a{0}`.
    fn repeat_nothing(&mut self, item: &Piece, times: Times, place: Place) -> Result<(), PatternError> {
        let known_groups = self.numbers.len();
        let length = self.out.source.len();
        let (backtracks, folds_references) = (self.out.backtracks, self.out.folds_references);
        self.piece(item, place)?;
        self.refuse_groups_since(known_groups, MAY_TAKE_NO_TEXT)?;
        if times.min == 0 {
            self.out.source.truncate(length);
            self.out.backtracks = backtracks;
            self.out.folds_references = folds_references;
        }
        Ok(())
    }

    fn refuse_groups_since(&self, known_groups: usize, message: &str) -> Result<(), PatternError> {
        match self.numbers.last_key_value().and_then(|(number, _)| self.groups.get(number.checked_sub(1)?)) {
            Some(group) if self.numbers.len() > known_groups => refuse(group.at, message),
            _ => Ok(()),
        }
    }

    fn number(&mut self, group: usize) {
        let number = self.numbers.get(&group).copied().unwrap_or(group);
        self.push(&number.to_string());
    }

    fn anchor(&mut self, anchor: Anchor, tail: bool) {
        self.out.backtracks |= matches!(anchor, Anchor::BeforeFinalNewline) && !tail;
        self.push(match anchor {
            Anchor::TextStart => r"\A",
            Anchor::LineStart => "(?m:^)",
            Anchor::TextEnd => r"\z",
            Anchor::LineEnd => "(?m:$)",
            Anchor::BeforeFinalNewline if tail => r"(?:\n?\z)",
            Anchor::BeforeFinalNewline => r"(?=\n?\z)",
            Anchor::WordEdge => r"\b",
            Anchor::NotWordEdge => r"\B",
        });
    }

    /// Categories alone hold the same characters in either case, as Python sees it: the engine need not look for more.
    fn set(&mut self, set: &Set, ignore_case: bool) -> Result<(), PatternError> {
        let is_category = |item: &SetItem| matches!(item, SetItem::One(Member::Category(_)));
        let folds = ignore_case && !set.items.iter().all(is_category);
        self.toil.of_set(set, folds)?;
        if ignore_case && !folds {
            self.push("(?-i:");
        }
        self.push(if set.negated { "[^" } else { "[" });
        for item in &set.items {
            match *item {
                SetItem::One(Member::Char(c)) => self.literal(c),
                SetItem::Range(low, high) => {
                    self.literal(low);
                    self.push("-");
                    self.literal(high);
                }
                SetItem::One(Member::Category(category)) => self.push(members(category)),
            }
        }
        self.push("]");
        if ignore_case && !folds {
            self.push(")");
        }
        Ok(())
    }

    /// A character that stands for itself, in a set or outside.
    fn literal(&mut self, c: char) {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            self.out.source.push('\\');
        }
        self.out.source.push(c);
    }
}

/// A category's members, written as they stand inside a set.
///
/// Python's word characters are letters, numbers of every kind and `_`, without marks; its spaces include the
/// four separators `\x1c` to `\x1f`.
fn members(category: Category) -> &'static str {
    match category {
        Category::Digit => r"\d",
        Category::NotDigit => r"\D",
        Category::Space => r"\s\x1c-\x1f",
        Category::NotSpace => r"[^\s\x1c-\x1f]",
        Category::Word => r"\p{L}\p{N}_",
        Category::NotWord => r"[^\p{L}\p{N}_]",
    }
}
