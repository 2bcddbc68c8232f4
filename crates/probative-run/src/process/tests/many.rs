//! Many processes at once.

use super::*;

/// Runs what `job` gives for each number, on sixteen threads.
fn on_sixteen_threads(count: usize, job: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let job = &job;
            scope.spawn(move || (0..count).for_each(|number| job(thread * count + number)));
        }
    });
}

#[test]
fn everyone_gets_their_own() {
    on_sixteen_threads(20, |number| {
        let input = format!("{number}\n").repeat(2000).into_bytes();
        let input = if number % 2 == 0 { Input::Text(input) } else { Input::Terminal(input) };
        let ended = fed(&format!("cat; echo {number} >&2; exit {}", number % 200), input);
        assert_eq!(ended.how, How::Exited(i32::try_from(number % 200).unwrap()));
        assert_eq!(text(&ended.stdout), format!("{number}\n").repeat(2000));
        assert_eq!(text(&ended.stderr), format!("{number}\n"));
    });
}

#[test]
fn no_process_holds_anything_of_another() {
    // What this process has itself inherited, and is not of our making, is not of interest.
    let listed = |input| {
        let arguments = vec!["/proc/self/fd".into()];
        ran(&Command { program: "/bin/ls".into(), arguments, input, ..shell("") }).stdout
    };
    let alone = listed(Input::Nothing);
    on_sixteen_threads(30, |number| {
        let input = match number % 3 {
            0 => Input::Nothing,
            1 => Input::Text(b"text".to_vec()),
            _ => Input::Terminal(b"text".to_vec()),
        };
        assert_eq!(text(&listed(input)), text(&alone));
    });
}

#[test]
fn a_sleeping_sibling_does_not_keep_a_stream_open() {
    // `cat` ends only when nobody else holds the other end of its input.
    let stop = Stop::new().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| run(&shell("exec sleep 30"), &stop).unwrap());
        }
        let begun = Instant::now();
        on_sixteen_threads(20, |_| {
            assert_eq!(text(&fed("cat", Input::Text(b"text".to_vec())).stdout), "text");
        });
        let took = begun.elapsed();
        stop.trip();
        assert!(took < Duration::from_secs(25), "{took:?}");
    });
}

#[test]
fn one_stop_ends_all() {
    let (stop, begun) = (Stop::new().unwrap(), Instant::now());
    std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..16).map(|_| scope.spawn(|| run(&shell("sleep 30"), &stop).unwrap())).collect();
        std::thread::sleep(Duration::from_millis(200));
        stop.trip();
        for one in running {
            assert_eq!(one.join().unwrap().how, How::Interrupted);
        }
    });
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}
