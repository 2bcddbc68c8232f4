//! Every value that a path selects, and what it looked for in vain.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json_path::PathElement;

use super::cost::TooLong;
use super::trail::write_name;
use super::{Chooses, Path, Query, Segment, Step, Trail};
use crate::json::{Kind, View};
use crate::value::{visible, with_article};

/// What a path came upon.
#[derive(Debug, Clone, Copy)]
pub enum Hit<'h, V> {
    /// A value that it selects.
    Value(V),
    /// A place where it could not go on.
    Missing(Gap<'h, V>),
}

/// Where a path could not go on: it stands at `from`, and `rest` does not exist there.
#[derive(Debug, Clone, Copy)]
pub struct Gap<'h, V> {
    from: V,
    trail: &'h Trail<'h>,
    rest: &'h [Segment],
    /// It could have gone on, but not within the limit.
    too_long: Option<TooLong>,
}

impl Path {
    /// Calls `meet` for each value that the path selects and each place where it finds nothing, in document order,
    /// until `meet` breaks off.
    ///
    /// A wildcard, a filter or a slice over something empty meets nothing at all. A path that takes too long, which
    /// [`Path::check_cost`] reports as an error, is missing.
    pub fn walk<'v, V: View<'v>, B>(
        &self,
        root: V,
        mut meet: impl FnMut(Hit<'_, V>, &Trail<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk_from(root, &Trail::root(), &mut meet)
    }

    /// The same, from a value that stands at `trail` in its document.
    pub fn walk_from<'v, V: View<'v>, B>(
        &self,
        value: V,
        trail: &Trail<'_>,
        mut meet: impl FnMut(Hit<'_, V>, &Trail<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(too_long) = self.too_long(value) {
            let gap = Gap { from: value, trail, rest: &self.segments, too_long: Some(too_long) };
            return meet(Hit::Missing(gap), trail);
        }
        let Some(from_root) = &self.from_root else { return walk(&self.segments, value, trail, &mut meet) };
        walk(&from_root.way, value, trail, &mut |hit, trail| match hit {
            Hit::Missing(_) => meet(hit, trail),
            Hit::Value(value) if has_parts(value) => ControlFlow::Continue(()),
            Hit::Value(scalar) => meet(
                Hit::Missing(Gap { from: scalar, trail, rest: &[Segment::Wildcard], too_long: None }),
                trail,
            ),
        })?;
        choose(&from_root.query, &self.segments, value, trail, &mut meet)
    }
}

type Meet<'m, V, B> = &'m mut dyn FnMut(Hit<'_, V>, &Trail<'_>) -> ControlFlow<B>;

fn has_parts<'v>(value: impl View<'v>) -> bool {
    matches!(value.kind(), Kind::Array | Kind::Object)
}

pub(super) fn walk<'v, V: View<'v>, B>(
    segments: &[Segment],
    value: V,
    trail: &Trail<'_>,
    meet: Meet<'_, V, B>,
) -> ControlFlow<B> {
    let Some((segment, after)) = segments.split_first() else { return meet(Hit::Value(value), trail) };
    let gap = Gap { from: value, trail, rest: segments, too_long: None };
    match (segment, value.kind()) {
        (Segment::Name(name), Kind::Object) => match value.get(name) {
            Some(value) => walk(after, value, &trail.name(name), meet),
            None => meet(Hit::Missing(gap), trail),
        },
        (Segment::Index(index), Kind::Array) => {
            let index = position(*index, || value.len());
            match index.and_then(|index| Some((index, value.item(index)?))) {
                Some((index, item)) => walk(after, item, &trail.index(index), meet),
                None => meet(Hit::Missing(gap), trail),
            }
        }
        (Segment::Wildcard, Kind::Array) => value
            .items()
            .enumerate()
            .try_for_each(|(index, item)| walk(after, item, &trail.index(index), meet)),
        (Segment::Wildcard, Kind::Object) if value.members().next().is_some() => {
            value.members().try_for_each(|(name, value)| walk(after, value, &trail.name(&name), meet))
        }
        (Segment::Several(several), Kind::Array | Kind::Object) => {
            several.iter().try_for_each(|one| {
                // Each of them, as if the others were not there; what follows is walked from each.
                walk(std::slice::from_ref(one), value, trail, &mut |hit, trail| match hit {
                    Hit::Value(value) => walk(after, value, trail, meet),
                    Hit::Missing(_) => meet(hit, trail),
                })
            })
        }
        (Segment::Query(query), Kind::Array | Kind::Object) => {
            if query.chooses == Chooses::BySlice && value.kind() != Kind::Array {
                return meet(Hit::Missing(gap), trail);
            }
            if query.chooses == Chooses::Descendants && query.engine.query(&value.to_value()).is_empty() {
                return meet(Hit::Missing(gap), trail);
            }
            choose(query, after, value, trail, meet)
        }
        _ => meet(Hit::Missing(gap), trail),
    }
}

/// Walks on from everything that the engine chooses.
fn choose<'v, V: View<'v>, B>(
    query: &Query,
    after: &[Segment],
    value: V,
    trail: &Trail<'_>,
    meet: Meet<'_, V, B>,
) -> ControlFlow<B> {
    query.engine.query_located(&value.to_value()).iter().try_for_each(|chosen| {
        let steps: Vec<Step<'_>> = chosen.location().iter().map(step).collect();
        let node = steps.iter().try_fold(value, |value, step| match step {
            Step::Name(name) => value.get(name),
            Step::Index(index) => value.item(*index),
        });
        // What the engine found is there.
        let Some(node) = node else { return ControlFlow::Continue(()) };
        follow(&steps, trail, &mut |trail| walk(after, node, trail, meet))
    })
}

/// Calls `arrive` with the trail that `steps` lead to.
fn follow<B>(
    steps: &[Step<'_>],
    trail: &Trail<'_>,
    arrive: &mut dyn FnMut(&Trail<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    match steps.split_first() {
        None => arrive(trail),
        Some((step, after)) => follow(after, &trail.then(*step), arrive),
    }
}

fn step<'p>(element: &'p PathElement<'_>) -> Step<'p> {
    match element {
        PathElement::Name(name) => Step::Name(name),
        PathElement::Index(index) => Step::Index(*index),
    }
}

/// The position that an index means, which may be after the end. Only from the end does it take the length.
fn position(index: i64, length: impl FnOnce() -> usize) -> Option<usize> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 { length().checked_sub(distance) } else { Some(distance) }
}

impl<'v, V: View<'v>> Gap<'_, V> {
    /// Returns true if only the last part of the path is missing, so that what should hold it is there.
    pub fn is_last(&self) -> bool {
        self.rest.len() == 1 && matches!(self.rest, [Segment::Name(_) | Segment::Index(_)])
    }

    /// The place that was asked for, as concretely as it is known: `results[1].metadata.type`.
    pub fn place(&self) -> String {
        let mut place = self.trail.to_string();
        if place == "$" {
            place.clear();
        }
        for segment in self.rest {
            let first = place.is_empty();
            // Writing to a String cannot fail.
            let _ = match segment {
                Segment::Name(name) => write_name(&mut place, name, first),
                Segment::Index(index) => write!(place, "[{index}]"),
                Segment::Wildcard => write!(place, "[*]"),
                Segment::Several(_) => write!(place, "[…]"),
                Segment::Query(query) => {
                    write!(place, "{}{}", if first { "$" } else { "" }, visible(&query.written))
                }
            };
        }
        place
    }

    /// What stands where the path could not go on: `results is a string`, `pagination has no 'total'`.
    pub fn reason(&self) -> String {
        let Gap { from, trail, rest, too_long } = self;
        if let Some(too_long) = too_long {
            return format!("the path takes too long to evaluate: {too_long}");
        }
        let here = match trail.to_string() {
            root if root == "$" => "the document".to_owned(),
            place => place,
        };
        match (rest.first(), from.kind()) {
            (Some(Segment::Name(name)), Kind::Object) => format!("{here} has no '{}'", visible(name)),
            (Some(Segment::Name(_)), Kind::Array) => {
                format!("{here} is an array; use {here}[*] for its items")
            }
            (Some(Segment::Index(_)), Kind::Array) => {
                let count = from.len();
                format!("{here} has {count} item{}", if count == 1 { "" } else { "s" })
            }
            (Some(Segment::Query(_)), Kind::Array | Kind::Object) => "the path selects nothing".to_owned(),
            (_, kind) => format!("{here} is {}", with_article(kind.name())),
        }
    }

    /// The place and type of a value of which every item was asked for, and which has none.
    pub fn not_an_array(&self) -> Option<(String, &'static str)> {
        let wants_items = matches!(self.rest.first(), Some(Segment::Wildcard));
        wants_items.then(|| (self.trail.to_string(), self.from.kind().name()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::Document;

    /// What is met, which is the same in every form of the document.
    fn told(path: &str, root: &Value) -> Vec<String> {
        let document = Document::from(root);
        let told = told_of(path, root, Value::to_string);
        assert_eq!(told_of(path, document.root(), |node| node.written().to_owned()), told);
        told
    }

    fn told_of<'v, V: View<'v>>(path: &str, root: V, written: impl Fn(V) -> String) -> Vec<String> {
        let mut told = Vec::new();
        let walked: ControlFlow<()> = Path::parse(path).unwrap().walk(root, |hit, trail| {
            told.push(match hit {
                Hit::Value(value) => format!("{trail} = {}", written(value)),
                Hit::Missing(gap) => format!("no {}: {}", gap.place(), gap.reason()),
            });
            ControlFlow::Continue(())
        });
        assert!(walked.is_continue());
        told
    }

    #[test]
    fn every_selected_value_has_its_place() {
        let root = json!({"results": [{"file": "a"}, {"file": "b"}], "n": {"x": 1, "y": 2}});
        assert_eq!(told("results[*].file", &root), [r#"results[0].file = "a""#, r#"results[1].file = "b""#]);
        assert_eq!(told("$.results[-1].file", &root), [r#"results[1].file = "b""#]);
        assert_eq!(told("n[*]", &root), ["n.x = 1", "n.y = 2"]);
        assert_eq!(told("results[?@.file=='b'].file", &root), [r#"results[1].file = "b""#]);
        assert_eq!(told("$..file", &root).len(), 2);
        assert_eq!(told("$.results[?@.file == $.results[1].file].file", &root), [r#"results[1].file = "b""#]);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown_in_the_place_of_what_is_missing() {
        let told = told("a[?@.b\r==1]", &json!({}));
        assert_eq!(told, ["no a[?@.b\\r==1]: the document has no 'a'"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let root = json!({"results": [{"type": 1}, {}], "page": {"offset": 0}, "text": "x", "none": []});
        assert_eq!(told("page.total", &root), ["no page.total: page has no 'total'"]);
        assert_eq!(told("a.b[*].c", &root), ["no a.b[*].c: the document has no 'a'"]);
        assert_eq!(
            told("results[*].type", &root),
            ["results[0].type = 1", "no results[1].type: results[1] has no 'type'"]
        );
        assert_eq!(
            told("results.type", &root),
            ["no results.type: results is an array; use results[*] for its items"]
        );
        assert_eq!(told("text[*]", &root), ["no text[*]: text is a string"]);
        assert_eq!(told("results[2]", &root), ["no results[2]: results has 2 items"]);
        assert_eq!(told("results[-3]", &root), ["no results[-3]: results has 2 items"]);
        assert_eq!(told("$..nowhere", &root), ["no $..nowhere: the path selects nothing"]);
    }

    #[test]
    fn a_filter_sees_the_root_in_either_notation() {
        let root = json!({"min": 1, "results": [{"s": 5, "t": "a"}, {"s": 0, "t": "b"}, {"s": 7}]});
        for path in ["results[?@.s > $.min].t", "$.results[?@.s > $.min].t"] {
            assert_eq!(
                told(path, &root),
                [r#"results[0].t = "a""#, "no results[2].t: results[2] has no 't'"]
            );
            assert_eq!(told(path, &json!({"min": 1})), ["no results: the document has no 'results'"]);
            assert_eq!(told(path, &json!({"results": "x"})), ["no results[*]: results is a string"]);
        }
    }

    #[test]
    fn of_several_each_must_exist() {
        let root = json!({"a": {"x": {"n": 1}, "y": {}}, "list": [1, 2]});
        assert_eq!(told("a['x','y'].n", &root), ["a.x.n = 1", "no a.y.n: a.y has no 'n'"]);
        assert_eq!(told("a['x','z'].n", &root), ["a.x.n = 1", "no a.z: a has no 'z'"]);
        assert_eq!(told("list[0, 5]", &root), ["list[0] = 1", "no list[5]: list has 2 items"]);
    }

    #[test]
    fn slices_are_of_arrays_and_wildcards_of_something() {
        let root = json!({"object": {"a": 1}, "nothing": {}, "list": [1, 2, 3]});
        assert_eq!(told("list[0:2]", &root), ["list[0] = 1", "list[1] = 2"]);
        assert_eq!(told("object[0:2].x", &root), ["no object[0:2].x: the path selects nothing"]);
        assert_eq!(told("nothing[*].x", &root), ["no nothing[*].x: nothing is an object"]);
    }

    #[test]
    fn large_objects_are_searched_too() {
        let root: Value =
            (0..40).map(|n| (format!("k{n}"), json!(n))).collect::<serde_json::Map<_, _>>().into();
        assert_eq!(told("k39", &root), ["k39 = 39"]);
        assert_eq!(told("k40", &root), ["no k40: the document has no 'k40'"]);
    }

    #[test]
    fn nothing_to_choose_from_is_not_missing() {
        let root = json!({"none": [], "results": [{"type": 1}]});
        assert!(told("none[*].x", &root).is_empty());
        assert!(told("results[?@.type == 2].x", &root).is_empty());
        assert!(told("none[0:2].x", &root).is_empty());
    }

    #[test]
    fn a_chosen_item_without_the_field_is_missing_it() {
        let root = json!({"results": [{"type": 1}]});
        assert_eq!(told("results[?@.type == 1].x", &root), ["no results[0].x: results[0] has no 'x'"]);
    }
}
