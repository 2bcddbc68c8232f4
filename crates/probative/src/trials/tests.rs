use proptest::prelude::*;

use super::*;

/// Trials of which each passes or fails, with a message of its own letter.
fn trials(planned: usize, rule: PassRule, passed: &[bool]) -> Trials {
    let ran = passed.iter().map(|passed| trial(*passed, "no")).collect();
    Trials { planned, rule, ran, shown: None }
}

fn trial(passed: bool, message: &str) -> Trial {
    let (status, message) =
        if passed { (Status::Pass, None) } else { (Status::Fail, Some(message.to_owned())) };
    Trial { status, message, summary: None, recording: None, cost: None, duration: None }
}

fn counted(passed: usize, ran: usize) -> Trials {
    let outcomes: Vec<bool> = (0..ran).map(|at| at < passed).collect();
    trials(ran, PassRule::All, &outcomes)
}

/// Of all ways to draw `k` trials, the share that a test holds for, counted one by one.
fn share_of_draws(outcomes: &[bool], k: usize, holds: impl Fn(&[bool]) -> bool) -> f64 {
    let choices = (0_u32..1 << outcomes.len()).filter(|draw| draw.count_ones() as usize == k);
    let drawn = |draw: u32| -> Vec<bool> {
        (0..outcomes.len()).filter(|at| draw >> at & 1 == 1).map(|at| outcomes[at]).collect()
    };
    let (mut held, mut all) = (0_u32, 0_u32);
    for draw in choices {
        all += 1;
        held += u32::from(holds(&drawn(draw)));
    }
    f64::from(held) / f64::from(all)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 100")]
fn hundredths(share: f64) -> usize {
    (share * 100.0).round() as usize
}

fn any_rule() -> impl Strategy<Value = PassRule> {
    prop_oneof![
        Just(PassRule::All),
        Just(PassRule::Any),
        Just(PassRule::Majority),
        (1_u8..=100).prop_map(|percent| PassRule::Share(f64::from(percent) / 100.0)),
    ]
}

proptest! {
    #[test]
    fn estimates_are_what_counting_every_draw_gives(outcomes in prop::collection::vec(any::<bool>(), 0..9), k in 0_usize..10) {
        let trials = trials(outcomes.len(), PassRule::All, &outcomes);
        if k > outcomes.len() {
            prop_assert_eq!((trials.pass_at(k), trials.pass_hat(k)), (None, None));
        } else {
            let any = share_of_draws(&outcomes, k, |drawn| drawn.contains(&true));
            let all = share_of_draws(&outcomes, k, |drawn| !drawn.contains(&false));
            prop_assert!((trials.pass_at(k).unwrap() - any).abs() < 1e-12);
            prop_assert!((trials.pass_hat(k).unwrap() - all).abs() < 1e-12);
        }
    }

    #[test]
    fn a_decision_is_what_every_ending_gives(
        outcomes in prop::collection::vec(any::<bool>(), 0..9),
        to_come in 0_usize..6,
        rule in any_rule(),
    ) {
        let planned = outcomes.len() + to_come;
        let passes = |passed: usize| match rule {
            PassRule::All => passed == planned && planned > 0,
            PassRule::Any => passed > 0,
            PassRule::Majority => passed > planned - passed,
            // In hundredths, which are exact.
            PassRule::Share(share) => passed > 0 && passed * 100 >= hundredths(share) * planned,
        };
        let passed = outcomes.iter().filter(|passed| **passed).count();
        let endings: Vec<bool> = (0..=to_come).map(|more| passes(passed + more)).collect();
        let expected = match (endings.contains(&true), endings.contains(&false)) {
            (true, true) => Decision::Open,
            (true, false) => Decision::Passes,
            _ => Decision::Fails,
        };
        prop_assert_eq!(trials(planned, rule, &outcomes).decision(), expected);
    }

    #[test]
    fn an_interval_holds_its_rate_and_narrows((passed, ran) in (1_usize..2000).prop_flat_map(|ran| (0..=ran, Just(ran)))) {
        let ((low, high), rate) = (wilson(passed, ran), counted(passed, ran).rate());
        prop_assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
        let (narrower, wider) = (wilson(passed * 4, ran * 4), high - low);
        prop_assert!(narrower.1 - narrower.0 < wider);
        // What fails mirrors what passes.
        let mirrored = wilson(ran - passed, ran);
        prop_assert!((mirrored.0 - (1.0 - high)).abs() < 1e-12 && (mirrored.1 - (1.0 - low)).abs() < 1e-12);
    }

    #[test]
    fn the_ks_that_are_told_are_of_the_series(ran in 0_usize..=10_000) {
        let ks = told_ks(ran);
        prop_assert!(ks.is_sorted() && ks.iter().all(|k| *k >= 1 && *k <= ran));
        let series = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
        let expected: Vec<usize> = if ran <= 5 { (1..=ran).collect() } else { series.into_iter().filter(|k| *k <= ran).collect() };
        prop_assert_eq!(ks, expected);
    }
}

#[test]
fn wilson_is_as_in_the_textbooks() {
    let near = |found: (f64, f64), low: f64, high: f64| {
        assert!((found.0 - low).abs() < 5e-5 && (found.1 - high).abs() < 5e-5, "{found:?}");
    };
    near(wilson(8, 10), 0.4902, 0.9433);
    near(wilson(0, 10), 0.0, 0.2775);
    near(wilson(10, 10), 0.7225, 1.0);
    near(wilson(15, 148), 0.0624, 0.1605);
    near(wilson(81, 263), 0.2553, 0.3662);
    near(wilson(1, 1), 0.2065, 1.0);
    assert_eq!(wilson(0, 0), (0.0, 1.0));
    assert_eq!((wilson(0, 7).0, wilson(7, 7).1), (0.0, 1.0));
}

#[test]
fn estimates_stay_sound_for_ten_thousand_trials() {
    let trials = counted(9_000, 10_000);
    for k in told_ks(10_000) {
        let (any, all) = (trials.pass_at(k).unwrap(), trials.pass_hat(k).unwrap());
        assert!((0.0..=1.0).contains(&any) && (0.0..=1.0).contains(&all), "{k}: {any} {all}");
    }
    assert!((trials.pass_at(1).unwrap() - 0.9).abs() < 1e-12);
    assert!((trials.pass_hat(2).unwrap() - 0.9 * (8_999.0 / 9_999.0)).abs() < 1e-12);
    assert_eq!(trials.pass_at(1001), Some(1.0));
    assert_eq!(trials.pass_hat(9001), Some(0.0));
    // One of ten thousand: what is left of 1 must not be lost.
    assert!((counted(1, 10_000).pass_at(5000).unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(trials.pass_at(10_001), None);
}

#[test]
fn nothing_run_says_nothing() {
    let none = trials(3, PassRule::Any, &[]);
    assert_eq!((none.decision(), none.passed(), none.wilson()), (Decision::Open, 0, (0.0, 1.0)));
    assert!(none.rate() == 0.0 && none.modes().is_empty() && none.pass_at(1).is_none());
    assert_eq!(trials(0, PassRule::All, &[]).decision(), Decision::Fails);
}

#[test]
fn an_error_is_no_pass() {
    let mut trials = trials(2, PassRule::Any, &[false, false]);
    trials.ran[0].status = Status::Error;
    trials.ran[1].status = Status::Skip;
    assert_eq!((trials.passed(), trials.decision()), (0, Decision::Fails));
}

#[test]
fn modes_are_the_exact_messages_the_most_frequent_first() {
    let ran = [
        trial(false, "late: took 12 ms"),
        trial(true, ""),
        trial(false, "b"),
        trial(false, "late: took 13 ms"),
        trial(false, "b"),
        Trial { message: None, ..trial(false, "") },
    ];
    let trials = Trials { planned: 6, rule: PassRule::All, ran: ran.to_vec(), shown: None };
    let modes: Vec<(&str, Vec<usize>)> =
        trials.modes().into_iter().map(|mode| (mode.message, mode.trials)).collect();
    let expected = [
        ("b", vec![3, 5]),
        ("late: took 12 ms", vec![1]),
        ("late: took 13 ms", vec![4]),
        ("no message", vec![6]),
    ];
    assert_eq!(modes, expected);
}
