//! Every value that a path selects, and what it looked for in vain.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json::Value;
use serde_json_path::PathElement;

use super::cost::TooLong;
use super::trail::write_name;
use super::{Chooses, Path, Query, Segment, Step, Trail};
use crate::value::{member, type_name, visible, with_article};

/// What a path came upon.
#[derive(Debug, Clone, Copy)]
pub enum Hit<'v, 'h> {
    /// A value that it selects.
    Value(&'v Value),
    /// A place where it could not go on.
    Missing(Gap<'h>),
}

/// Where a path could not go on: it stands at `from`, and `rest` does not exist there.
#[derive(Debug, Clone, Copy)]
pub struct Gap<'h> {
    from: &'h Value,
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
    pub fn walk<'v, B>(
        &self,
        root: &'v Value,
        mut meet: impl FnMut(Hit<'v, '_>, &Trail<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk_from(root, &Trail::root(), &mut meet)
    }

    /// The same, from a value that stands at `trail` in its document.
    pub fn walk_from<'v, B>(
        &self,
        value: &'v Value,
        trail: &Trail<'_>,
        mut meet: impl FnMut(Hit<'v, '_>, &Trail<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(too_long) = self.too_long(value) {
            let gap = Gap { from: value, trail, rest: &self.segments, too_long: Some(too_long) };
            return meet(Hit::Missing(gap), trail);
        }
        let Some(from_root) = &self.from_root else { return walk(&self.segments, value, trail, &mut meet) };
        walk(&from_root.way, value, trail, &mut |hit, trail| match hit {
            Hit::Missing(_) => meet(hit, trail),
            Hit::Value(Value::Array(_) | Value::Object(_)) => ControlFlow::Continue(()),
            Hit::Value(scalar) => meet(
                Hit::Missing(Gap { from: scalar, trail, rest: &[Segment::Wildcard], too_long: None }),
                trail,
            ),
        })?;
        choose(&from_root.query, &self.segments, value, trail, &mut meet)
    }
}

type Meet<'m, 'v, B> = &'m mut dyn FnMut(Hit<'v, '_>, &Trail<'_>) -> ControlFlow<B>;

pub(super) fn walk<'v, B>(
    segments: &[Segment],
    value: &'v Value,
    trail: &Trail<'_>,
    meet: Meet<'_, 'v, B>,
) -> ControlFlow<B> {
    let Some((segment, after)) = segments.split_first() else { return meet(Hit::Value(value), trail) };
    let gap = Gap { from: value, trail, rest: segments, too_long: None };
    match (segment, value) {
        (Segment::Name(name), Value::Object(object)) => match member(object, name) {
            Some(value) => walk(after, value, &trail.name(name), meet),
            None => meet(Hit::Missing(gap), trail),
        },
        (Segment::Index(index), Value::Array(array)) => match position(*index, array.len()) {
            Some(index) => walk(after, &array[index], &trail.index(index), meet),
            None => meet(Hit::Missing(gap), trail),
        },
        (Segment::Wildcard, Value::Array(array)) => array
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| walk(after, item, &trail.index(index), meet)),
        (Segment::Wildcard, Value::Object(object)) if !object.is_empty() => {
            object.iter().try_for_each(|(name, value)| walk(after, value, &trail.name(name), meet))
        }
        (Segment::Several(several), Value::Array(_) | Value::Object(_)) => {
            several.iter().try_for_each(|one| {
                // Each of them, as if the others were not there; what follows is walked from each.
                walk(std::slice::from_ref(one), value, trail, &mut |hit, trail| match hit {
                    Hit::Value(value) => walk(after, value, trail, meet),
                    Hit::Missing(_) => meet(hit, trail),
                })
            })
        }
        (Segment::Query(query), Value::Array(_) | Value::Object(_)) => {
            if query.chooses == Chooses::BySlice && !value.is_array() {
                return meet(Hit::Missing(gap), trail);
            }
            if query.chooses == Chooses::Descendants && query.engine.query(value).is_empty() {
                return meet(Hit::Missing(gap), trail);
            }
            choose(query, after, value, trail, meet)
        }
        _ => meet(Hit::Missing(gap), trail),
    }
}

/// Walks on from everything that the engine chooses.
fn choose<'v, B>(
    query: &Query,
    after: &[Segment],
    value: &'v Value,
    trail: &Trail<'_>,
    meet: Meet<'_, 'v, B>,
) -> ControlFlow<B> {
    query.engine.query_located(value).iter().try_for_each(|chosen| {
        let steps: Vec<Step<'_>> = chosen.location().iter().map(step).collect();
        follow(&steps, trail, &mut |trail| walk(after, chosen.node(), trail, meet))
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

fn position(index: i64, length: usize) -> Option<usize> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    let position = if index < 0 { length.checked_sub(distance)? } else { distance };
    (position < length).then_some(position)
}

impl Gap<'_> {
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
        match (rest.first(), from) {
            (Some(Segment::Name(name)), Value::Object(_)) => format!("{here} has no '{}'", visible(name)),
            (Some(Segment::Name(_)), Value::Array(_)) => {
                format!("{here} is an array; use {here}[*] for its items")
            }
            (Some(Segment::Index(_)), Value::Array(items)) => {
                format!("{here} has {} item{}", items.len(), if items.len() == 1 { "" } else { "s" })
            }
            (Some(Segment::Query(_)), Value::Array(_) | Value::Object(_)) => {
                "the path selects nothing".to_owned()
            }
            _ => format!("{here} is {}", with_article(type_name(*from))),
        }
    }

    /// The place and type of a value of which every item was asked for, and which has none.
    pub fn not_an_array(&self) -> Option<(String, &'static str)> {
        let wants_items = matches!(self.rest.first(), Some(Segment::Wildcard));
        wants_items.then(|| (self.trail.to_string(), type_name(self.from)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(path: &str, root: &Value) -> Vec<String> {
        let mut told = Vec::new();
        let walked: ControlFlow<()> = Path::parse(path).unwrap().walk(root, |hit, trail| {
            told.push(match hit {
                Hit::Value(value) => format!("{trail} = {value}"),
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
