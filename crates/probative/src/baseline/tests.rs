use super::*;

fn entry(id: &str, status: Status) -> Entry {
    Entry { id: id.to_owned(), status, passed: None, ran: None, duration: None, cost: None }
}

fn of(passed: usize, ran: usize, status: Status) -> Entry {
    Entry { passed: Some(passed), ran: Some(ran), ..entry("T", status) }
}

fn took(milliseconds: u64, status: Status) -> Entry {
    Entry { duration: Some(Duration::from_millis(milliseconds)), ..entry("T", status) }
}

fn cost(cost: f64) -> Entry {
    Entry { cost: Some(cost), ..entry("T", Status::Pass) }
}

fn between(before: &Entry, now: &Entry) -> Comparison {
    Comparison::between(&vec![before.clone()].into(), std::slice::from_ref(now), |_| true)
}

fn read(text: &str) -> Result<Baseline, String> {
    Baseline::read(text.as_bytes().to_vec(), "b.json").map_err(|error| error.to_string())
}

const EVERY: [Status; 4] = [Status::Pass, Status::Fail, Status::Error, Status::Skip];

#[test]
fn what_is_written_is_read_again() {
    let cases = vec![
        Entry { cost: Some(0.25), ..of(8, 10, Status::Fail) },
        Entry { duration: Some(Duration::from_micros(1_234_567)), ..entry("é \"x\"\n", Status::Pass) },
        entry("S", Status::Skip),
        entry("E", Status::Error),
    ];
    let baseline = Baseline::from(cases);
    let text = baseline.to_json();
    assert_eq!(
        text,
        "{\"version\":1,\"cases\":[\n\
         {\"id\":\"T\",\"status\":\"fail\",\"passed\":8,\"ran\":10,\"cost\":0.25},\n\
         {\"id\":\"é \\\"x\\\"\\n\",\"status\":\"pass\",\"duration_ms\":1234.567},\n\
         {\"id\":\"S\",\"status\":\"skip\"},\n{\"id\":\"E\",\"status\":\"error\"}\n]}\n"
    );
    assert_eq!(read(&text).unwrap(), baseline);
    assert_eq!(read(&Baseline::default().to_json()).unwrap(), Baseline::default());
}

#[test]
fn a_time_is_read_again_to_the_microsecond_however_long_it_was() {
    for microseconds in [0, 1, 999, 1_001, 801_777_777_777_499, 999_999_999_999_999, 1_000_000_000_000_000] {
        let duration = Some(Duration::from_micros(microseconds));
        let baseline = Baseline::from(vec![Entry { duration, ..entry("T", Status::Pass) }]);
        assert_eq!(read(&baseline.to_json()).unwrap(), baseline);
    }
    let centuries =
        "{\"version\":1,\"cases\":[{\"id\":\"A\",\"status\":\"pass\",\"duration_ms\":8017777777775}]}";
    assert_eq!(
        read(centuries).unwrap_err(),
        "b.json:1:63: cases.duration_ms: expected a duration in milliseconds, found 8017777777775"
    );
}

#[test]
fn what_is_no_baseline_is_refused_at_its_place() {
    let refused = |text: &str, expected: &str| assert_eq!(read(text).unwrap_err(), expected, "{text}");
    assert!(read("").unwrap_err().starts_with("b.json:1:1: "));
    assert!(read("{\"version\":1,\n\"cases\":[,]}").unwrap_err().starts_with("b.json:2:"));
    for other in ["[]", "3", "{\"summary\": {}}"] {
        refused(other, "b.json:1:1: not a baseline: expected an object with 'version' and 'cases'");
    }
    refused(
        "{\"version\": 2, \"new\": []}",
        "b.json:1:13: unsupported baseline version 2; this release reads version 1",
    );
    refused(
        "{\"version\": \"1\"}",
        "b.json:1:13: unsupported baseline version '1'; this release reads version 1",
    );
    refused("{\"version\": 1}", "b.json:1:1: 'cases' is missing");
    refused("{\"version\": 1, \"cases\": {}}", "b.json:1:25: cases: expected a list, found an object");
    let cases = |cases: &str| format!("{{\"version\":1,\"cases\":[\n{cases}]}}");
    let a = "{\"id\":\"A\",\"status\":\"pass\"}";
    refused(&cases(&format!("{a},\n{a}")), "b.json:3:7: duplicate case id 'A'");
    let wrong = |more: &str| read(&cases(&format!("{{\"id\":\"A\",\"status\":{more}}}"))).unwrap_err();
    assert!(wrong("\"green\"").starts_with("b.json:2:20: cases.status: "), "{}", wrong("\"green\""));
    assert!(!wrong("\"green\"").contains("assertion"), "{}", wrong("\"green\""));
    assert_eq!(wrong("\"pass\",\"ran\":3"), "b.json:2:1: 'passed' and 'ran' must be given together");
    assert_eq!(wrong("\"pass\",\"ran\":3,\"passed\":4"), "b.json:2:44: 'passed' is 4, but 'ran' is only 3");
    assert_eq!(
        wrong("\"pass\",\"duration_ms\":-1"),
        "b.json:2:41: cases.duration_ms: expected a duration in milliseconds, found -1"
    );
    assert_eq!(
        wrong("\"pass\",\"price\":1"),
        "b.json:2:27: cases: unknown key 'price'; expected one of: id, status, passed, ran, duration_ms, cost"
    );
    let bytes = Baseline::read(vec![0xff], "b.json").unwrap_err();
    assert_eq!(bytes.to_string(), "b.json: baseline isn't valid UTF-8");
    assert!(bytes.is_askers_mistake());
}

#[test]
fn what_passed_and_does_not_is_worse() {
    for before in EVERY {
        for now in EVERY {
            let found = between(&entry("T", before), &entry("T", now));
            let is_skipped = before == Status::Skip || now == Status::Skip;
            let (then, today) = (before == Status::Pass, now == Status::Pass);
            let is_new = before == Status::Skip && matches!(now, Status::Fail | Status::Error);
            let has_regressed = then && !today;
            assert_eq!(found.worse.len(), usize::from(has_regressed || is_new), "{before:?} {now:?}");
            assert_eq!(found.better.len(), usize::from(!is_skipped && !then && today), "{before:?} {now:?}");
            assert_eq!((found.has_regressed(), found.has_new_failures()), (has_regressed, is_new));
            assert_eq!(found.is_empty(), found.worse.is_empty() && found.better.is_empty());
        }
    }
}

#[test]
fn fewer_trials_are_worse_only_beyond_chance() {
    let found = |before: Entry, now: Entry| {
        let found = between(&before, &now);
        (found.worse.len(), found.better.len(), found.has_regressed())
    };
    assert_eq!(found(of(8, 10, Status::Pass), of(5, 10, Status::Pass)), (0, 0, false));
    assert_eq!(found(of(80, 100, Status::Pass), of(50, 100, Status::Pass)), (1, 0, false));
    assert_eq!(found(of(50, 100, Status::Fail), of(80, 100, Status::Fail)), (0, 1, false));
    assert_eq!(found(of(10, 10, Status::Pass), of(9, 10, Status::Fail)), (1, 0, true));
    // The verdict counts for more than the trials.
    assert_eq!(found(of(90, 100, Status::Fail), of(50, 100, Status::Pass)), (0, 1, false));
    assert_eq!(found(of(100, 100, Status::Pass), entry("T", Status::Pass)), (0, 0, false));
    assert_eq!(found(of(0, 0, Status::Error), of(0, 0, Status::Error)), (0, 0, false));
    let change = between(&of(8, 10, Status::Pass), &of(5, 10, Status::Fail)).worse.remove(0);
    let counts = |passed| Counts { passed, ran: 10 };
    assert_eq!(change.trials, Some(CountsChange { before: counts(8), now: counts(5) }));
}

#[test]
fn slower_is_half_as_long_again_and_a_tenth_of_a_second() {
    let slower =
        |before, now| !between(&took(before, Status::Pass), &took(now, Status::Pass)).slower.is_empty();
    assert!(slower(200, 300) && slower(0, 100) && slower(1000, 1500));
    assert!(!slower(200, 299) && !slower(10, 109) && !slower(1000, 1499) && !slower(300, 200));
    let (pass, fail) = (took(1, Status::Pass), took(1000, Status::Fail));
    assert!(between(&pass, &fail).slower.is_empty());
    assert!(between(&pass, &entry("T", Status::Pass)).is_empty());
    // Twice as many trials take twice as long, and none of them longer.
    let trials = |count: usize, milliseconds| Entry {
        passed: Some(count),
        ran: Some(count),
        ..took(milliseconds, Status::Pass)
    };
    assert!(between(&trials(5, 1000), &trials(10, 2000)).is_empty());
    let told = between(&trials(5, 1000), &trials(10, 4000)).slower.remove(0);
    assert_eq!((told.before, told.now), (Duration::from_millis(200), Duration::from_millis(400)));
}

#[test]
fn costlier_is_a_fifth_more() {
    let costlier = |before, now| !between(&cost(before), &cost(now)).costlier.is_empty();
    assert!(costlier(0.5, 0.6) && costlier(0.0, 0.0001) && costlier(0.0005, 0.0006));
    assert!(!costlier(0.5, 0.59) && !costlier(0.0001, 0.000_19) && !costlier(0.6, 0.5));
    let failed = Entry { status: Status::Fail, ..cost(9.0) };
    assert_eq!(between(&cost(1.0), &failed).costlier.len(), 1);
    let skipped = Entry { status: Status::Skip, ..cost(9.0) };
    assert!(between(&cost(1.0), &skipped).costlier.is_empty());
}

#[test]
fn what_is_new_and_what_is_gone_stands_in_its_order() {
    let all =
        |ids: &str| -> Vec<Entry> { ids.chars().map(|id| entry(&id.to_string(), Status::Pass)).collect() };
    let ids = |baseline: &Baseline| baseline.cases().iter().map(|entry| &*entry.id).collect::<String>();
    let before = Baseline::from(all("ZAMB"));
    let found = Comparison::between(&before, &all("YAX"), |_| true);
    assert_eq!((found.new.concat(), found.gone.concat()), ("YX".to_owned(), "ZMB".to_owned()));
    let found = Comparison::between(&before, &all("YAX"), |id| id == "M");
    assert_eq!(found.gone, ["M"]);
    // What was not run stays where it stood.
    assert_eq!(ids(&before.after(all("A"), |_| false)), "ZAMB");
    assert_eq!(ids(&before.after(all("AXB"), |_| false)), "ZAXMB");
    assert_eq!(ids(&before.after(all("BA"), |_| false)), "ZMBA");
    assert_eq!(ids(&before.after(all("A"), |id| id == "M")), "ZAB");
    assert_eq!(ids(&before.after(all("A"), |_| true)), "A");
    let failed = vec![entry("A", Status::Fail)];
    assert_eq!(before.after(failed, |_| false).cases()[1].status, Status::Fail);
}
