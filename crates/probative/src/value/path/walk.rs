//! Every value that a path selects, and what it looked for in vain.

use std::ops::ControlFlow;

use super::gap::{Gap, Hit};
use super::query::{Choice, Chooser, Segment};
use super::work::{Exhausted, Work};
use super::{Path, Step, Trail};
use crate::json::{Kind, View};
use crate::verdict::{Error, ErrorKind};

/// The reason why a walk ends early.
pub(super) enum Stop<B> {
    Broken(B),
    Exhausted(Exhausted),
}

impl<B> From<Exhausted> for Stop<B> {
    fn from(exhausted: Exhausted) -> Self {
        Stop::Exhausted(exhausted)
    }
}

pub(super) type Walked<B> = Result<(), Stop<B>>;

pub(super) type Meet<'m, V, B> = &'m mut dyn FnMut(Hit<'_, V>, &Trail<'_>) -> Walked<B>;

impl Path {
    /// Checks that selecting all that the path selects in a document takes a bearable number of node visits.
    ///
    /// Then no walk through the document from this value ends early.
    pub fn check_cost<'v>(&self, root: impl View<'v>) -> Result<(), Error> {
        if !self.is_counted {
            return Ok(());
        }
        match Walker::new(self, root).walk::<()>(&self.segments, root, &Trail::root(), &mut |_, _| Ok(())) {
            Err(Stop::Exhausted(exhausted)) => Err(Error::new(ErrorKind::Exhausted(format!(
                "path '{self}' takes too long to evaluate: {exhausted}"
            )))),
            Err(Stop::Broken(())) | Ok(()) => Ok(()),
        }
    }

    /// Calls `meet` for each value that the path selects and each place where it finds nothing, in document order,
    /// until `meet` breaks off.
    ///
    /// A wildcard over an empty array, a filter or a slice that selects nothing meets nothing at all. A path that takes too
    /// long, which [`Path::check_cost`] reports as an error, meets something missing in the end.
    pub fn walk<'v, V: View<'v>, B>(
        &self,
        root: V,
        meet: impl FnMut(Hit<'_, V>, &Trail<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk_from(root, &Trail::root(), meet)
    }

    /// Walks from a value at `trail` in its document, which filters see as the root.
    pub fn walk_from<'v, V: View<'v>, B>(
        &self,
        value: V,
        trail: &Trail<'_>,
        mut meet: impl FnMut(Hit<'_, V>, &Trail<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let walked =
            Walker::new(self, value).walk(&self.segments, value, trail, &mut |hit, trail| match meet(
                hit, trail,
            ) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(broken) => Err(Stop::Broken(broken)),
            });
        match walked {
            Ok(()) => ControlFlow::Continue(()),
            Err(Stop::Broken(broken)) => ControlFlow::Break(broken),
            Err(Stop::Exhausted(exhausted)) => {
                let gap = Gap { from: value, trail, rest: &self.segments, exhausted: Some(exhausted) };
                meet(Hit::Missing(gap), trail)
            }
        }
    }
}

/// Follows segments through one document.
pub(super) struct Walker<V> {
    pub(super) root: V,
    pub(super) work: Work,
}

impl<'v, V: View<'v>> Walker<V> {
    pub(super) fn new(path: &Path, root: V) -> Walker<V> {
        Walker { root, work: Work::new(path.is_counted) }
    }

    pub(super) fn walk<B>(
        &self,
        segments: &[Segment],
        value: V,
        trail: &Trail<'_>,
        meet: Meet<'_, V, B>,
    ) -> Walked<B> {
        self.spend(1)?;
        let Some((segment, after)) = segments.split_first() else {
            return meet(Hit::Value(value), trail);
        };
        match (segment, value.kind()) {
            (Segment::Name(name), Kind::Object) => {
                self.pass_by(value)?;
                if let Some(value) = value.get(name) {
                    return self.walk(after, value, &trail.name(name), meet);
                }
            }
            (Segment::Index(index), Kind::Array) => {
                self.pass_by(value)?;
                let index = position(*index, || value.len());
                if let Some((index, item)) = index.and_then(|index| Some((index, value.item(index)?))) {
                    return self.walk(after, item, &trail.index(index), meet);
                }
            }
            (Segment::Wildcard, Kind::Array) => return self.walk_all(after, value, trail, meet),
            (Segment::Wildcard, Kind::Object) if value.members().next().is_some() => {
                return self.walk_all(after, value, trail, meet);
            }
            (Segment::Several(several), Kind::Array | Kind::Object) => {
                // Each of them, as if the others were not there; what follows is walked from each.
                return several.iter().try_for_each(|one| self.walk_through(one, after, value, trail, meet));
            }
            (Segment::Choice(choice), Kind::Array | Kind::Object) => {
                let selects = self.choose(choice, after, value, trail, meet)?;
                if selects {
                    return Ok(());
                }
            }
            _ => {}
        }
        meet(Hit::Missing(Gap { from: value, trail, rest: segments, exhausted: None }), trail)
    }

    fn walk_all<B>(
        &self,
        segments: &[Segment],
        value: V,
        trail: &Trail<'_>,
        meet: Meet<'_, V, B>,
    ) -> Walked<B> {
        children(value, &mut |step, child| self.walk(segments, child, &trail.then(step), meet))
    }

    /// Walks one segment, and from all that it selects the segments after it.
    fn walk_through<B>(
        &self,
        one: &Segment,
        after: &[Segment],
        value: V,
        trail: &Trail<'_>,
        meet: Meet<'_, V, B>,
    ) -> Walked<B> {
        self.walk(std::slice::from_ref(one), value, trail, &mut |hit, trail| match hit {
            Hit::Value(value) => self.walk(after, value, trail, meet),
            Hit::Missing(_) => meet(hit, trail),
        })
    }

    /// Walks on from everything that a choice selects. Returns false if that is nothing, and something must be there.
    fn choose<B>(
        &self,
        choice: &Choice,
        after: &[Segment],
        value: V,
        trail: &Trail<'_>,
        meet: Meet<'_, V, B>,
    ) -> Result<bool, Stop<B>> {
        match &choice.by {
            Chooser::Slice(_) if value.kind() != Kind::Array => Ok(false),
            Chooser::Slice(slice) => {
                self.pass_by(value)?;
                let items: Vec<V> = value.items().collect();
                slice.indexes(items.len()).try_for_each(|index| match items.get(index) {
                    Some(item) => self.walk(after, *item, &trail.index(index), meet),
                    None => Ok(()),
                })?;
                Ok(true)
            }
            Chooser::Filter(condition) => {
                children(value, &mut |step, child| {
                    if self.holds(condition, child)? {
                        self.walk(after, child, &trail.then(step), meet)?;
                    }
                    Ok(())
                })?;
                Ok(true)
            }
            Chooser::Descent(segment) => {
                let mut selects = segment.filters();
                self.descend(segment, value, trail, &mut |value, trail| {
                    selects = true;
                    self.walk(after, value, trail, meet)
                })?;
                Ok(selects)
            }
        }
    }

    /// Calls `meet` for everything that a segment selects from a value and from what is below it.
    fn descend<B>(
        &self,
        segment: &Segment,
        value: V,
        trail: &Trail<'_>,
        meet: &mut dyn FnMut(V, &Trail<'_>) -> Walked<B>,
    ) -> Walked<B> {
        self.walk(std::slice::from_ref(segment), value, trail, &mut |hit, trail| match hit {
            Hit::Value(value) => meet(value, trail),
            Hit::Missing(_) => Ok(()),
        })?;
        children(value, &mut |step, child| self.descend(segment, child, &trail.then(step), meet))
    }
}

/// Calls `visit` for each item or member.
fn children<'v, V: View<'v>, B>(value: V, visit: &mut dyn FnMut(Step<'_>, V) -> Walked<B>) -> Walked<B> {
    if value.kind() == Kind::Array {
        value.items().enumerate().try_for_each(|(index, item)| visit(Step::Index(index), item))
    } else {
        value.members().try_for_each(|(name, member)| visit(Step::Name(&name), member))
    }
}

/// The position that an index means, which may be after the end. Only from the end does it take the length.
fn position(index: i64, length: impl FnOnce() -> usize) -> Option<usize> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 { length().checked_sub(distance) } else { Some(distance) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::work::ALLOWED_EACH;
    use super::*;
    use crate::json::JsonDocument;

    /// Describes what a walk meets, which is the same in every form of the document.
    fn told(path: &str, root: &Value) -> Vec<String> {
        let document = JsonDocument::from(root);
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
            let place = "results[?@.s > $.min].t";
            let missing = format!("no {place}: the document has no 'results'");
            assert_eq!(told(path, &json!({"min": 1})), [missing]);
            assert_eq!(told(path, &json!({"results": "x"})), [format!("no {place}: results is a string")]);
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
    fn what_is_chosen_beside_names_does_not_hide_what_is_missing() {
        let root = json!({"a": {"x": {"n": 1}, "y": {"n": 2}}, "list": [1, 2, 3]});
        assert_eq!(told("a['z', ?@.n == 2].n", &root), ["no a.z: a has no 'z'", "a.y.n = 2"]);
        assert_eq!(told("list[0, 1:]", &root), ["list[0] = 1", "list[1] = 2", "list[2] = 3"]);
        assert_eq!(told("$.list..[7, ?@ == 7]", &root), [""; 0]);
        assert_eq!(told("$.list..[7]", &root), ["no list..[7]: the path selects nothing"]);
    }

    #[test]
    fn numbers_in_filters_are_exact() {
        let root = json!([9_007_199_254_740_993_u64, 9_007_199_254_740_992_u64, 1.0]);
        assert_eq!(told("$[?@ == 9007199254740993]", &root), ["[0] = 9007199254740993"]);
        assert_eq!(told("$[?@ > 9007199254740992]", &root), ["[0] = 9007199254740993"]);
        assert_eq!(told("$[?@ == 1]", &root), ["[2] = 1.0"]);
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

    /// The visits that a path is charged, which are the same in every form of the document.
    fn visits(path: &str, root: &Value) -> u64 {
        fn of<'v>(path: &Path, root: impl View<'v>) -> u64 {
            let walker = Walker::new(path, root);
            let ended = walker.walk::<()>(&path.segments, root, &Trail::root(), &mut |_, _| Ok(()));
            assert!(ended.is_ok(), "{path}");
            walker.work.visits()
        }
        let (path, document) = (Path::parse(path).unwrap(), JsonDocument::from(root));
        let visits = of(&path, root);
        assert_eq!(of(&path, document.root()), visits, "{path}");
        visits
    }

    /// A list of so many items of seven nodes each.
    fn items(count: usize) -> Value {
        let item = |n| json!({"b": n, "c": {"d": [n, "text"], "e": n}});
        json!({"a": (0..count).map(item).collect::<Vec<_>>(), "min": 3, "max": 9})
    }

    fn chain(depth: usize) -> Value {
        (0..depth).fold(json!({"x": 1}), |inner, _| json!({"x": inner, "y": [1]}))
    }

    #[test]
    fn reading_the_document_for_each_node_is_counted() {
        let (small, large) = (items(50), items(200));
        for path in [
            "$.a[?count($..*) > 5]",
            "a[?count($..*) > 5]",
            "$..[?$..[?@.z]]",
            "$..*[?count($.a[*]) > 5]",
            "$.a[?$.a == $.a]",
            "$.a[?$ == $]",
        ] {
            // Four times the document is nearly sixteen times the work.
            assert!(visits(path, &large) > 9 * visits(path, &small), "{path}");
        }
        for path in
            ["$.a[?search($.a[0].c.d[1], '(a?){500}b')]", "$.a[?match('', value($.a[?@.b == 7].c.d[1]))]"]
        {
            assert!(visits(path, &small) > 500 * 50, "{path}");
        }
    }

    #[test]
    fn ordinary_paths_take_a_few_visits_of_each_node() {
        let (document, nodes) = (items(1000), 7000);
        for path in [
            "$..c..e",
            "$.a[?@.b > $.min && @.b < $.max].c",
            "$.a[?(@.b > $.min || !(@.b))].c",
            "$.a[?@.c.d[0] == @.c.e]",
            "$.a[?@.c.d == @.c.d]",
            "$.a[?count(@.c.d[*]) > 1]",
            "$.a[?length(@.c.d) == 2]",
            "$.a[?match(@.c.d[1], 't.*')]",
            "$.a[1:5,'x'].b",
            "$['a','min']",
            "$.a[0].c[?count($..*) > 5]",
        ] {
            let visits = visits(path, &document);
            assert!(0 < visits && visits < ALLOWED_EACH * nodes / 4, "{path}: {visits}");
        }
    }

    #[test]
    fn too_many_visits_are_an_error_in_every_form_of_the_document() {
        let path = Path::parse("$..*..*..*..*..*").unwrap();
        let message = "path '$..*..*..*..*..*' takes too long to evaluate: more than 10000000 node visits";
        let (value, document) = (chain(100), JsonDocument::from(&chain(100)));
        assert_eq!(path.check_cost(&value).unwrap_err().to_string(), message);
        assert_eq!(path.check_cost(document.root()).unwrap_err().to_string(), message);
    }

    #[test]
    fn every_one_of_several_selectors_is_counted() {
        for selected in ["[*,*]", "['x','x']"] {
            assert!(visits(&format!("${}", selected.repeat(10)), &chain(20)) > 1 << 10, "{selected}");
        }
    }

    #[test]
    fn the_limit_grows_with_the_document() {
        let path = format!("$.a[?{}]", vec!["@.b >= 0"; 45].join(" && "));
        let document = items(100_000);
        assert!(Path::parse(&path).unwrap().check_cost(&document).is_ok());
    }

    #[test]
    fn a_path_that_takes_too_long_is_missing_in_the_end() {
        let document = items(2000);
        let told = told("$.a[?@.b == 0 || count($..*) < 5].b", &document);
        assert_eq!(told.len(), 2);
        assert_eq!(told[0], "a[0].b = 0");
        assert!(
            told[1].ends_with(": the path takes too long to evaluate: more than 10000000 node visits"),
            "{told:?}"
        );
    }

    #[test]
    fn filters_that_are_asked_at_every_depth_do_not_exhaust_the_stack() {
        let document = chain(126);
        let at_the_bottom =
            (0..5).fold("@.x == 1".to_owned(), |inner, _| format!("@.x == 1 && $..[?{inner}]"));
        let path = format!("$..[?{at_the_bottom}].x");
        assert_eq!(told(&path, &document), [format!("x{} = 1", ".x".repeat(126))]);
    }
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;
    use crate::json::JsonDocument;
    use crate::value::equality::tests::any_value;

    const PATHS: [&str; 12] = [
        "$..*",
        "$..a",
        "a[*]",
        "$[::-1]",
        "$..[-1, 'b']",
        "$[?@.a == @.b]",
        "$..[?@ >= 0.5]",
        "$[?count(@.*) > 1].a",
        "$..[?length(@) == 1]",
        "$[?search(@, 'a') || @[0]]",
        "$[?@ == $.a]..*",
        "[*].b",
    ];

    fn met<'v, V: View<'v>>(path: &Path, root: V) -> Vec<String> {
        let mut all = Vec::new();
        let _ = path.walk(root, |hit, trail| {
            all.push(match hit {
                Hit::Value(value) => format!("{trail} = {}", value.to_value()),
                Hit::Missing(gap) => format!("{}: {}", gap.place(), gap.reason()),
            });
            ControlFlow::<()>::Continue(())
        });
        all
    }

    proptest! {
        #[test]
        fn a_value_and_its_document_meet_the_same(value in any_value(), path in prop::sample::select(&PATHS[..])) {
            let path = Path::parse(path).unwrap();
            prop_assert_eq!(met(&path, &value), met(&path, JsonDocument::from(&value).root()));
        }
    }
}
