//! Standard input that is a terminal.

use super::*;

fn typed(script: &str, text: &[u8]) -> Ended {
    fed(script, Input::Terminal(text.to_vec()))
}

#[test]
fn only_standard_input_is_a_terminal() {
    let ended = typed("for n in 0 1 2; do if [ -t $n ]; then echo yes; else echo no; fi; done", b"");
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "yes\nno\nno\n"));
}

#[test]
fn a_text_arrives_line_by_line() {
    let ended = typed("read a; read b; echo $b $a; cat", b"one\ntwo\nthree\nfour");
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "two one\nthree\nfour"));
}

#[test]
fn an_empty_text_is_an_end_at_once() {
    assert_eq!(typed("cat", b""), typed(":", b""));
}

#[test]
fn the_end_of_input_comes_as_often_as_asked_for() {
    let ended =
        typed("cat; cat; cat; i=0; while [ $i -lt 9000 ] && ! read x; do i=$((i+1)); done; echo $i", b"a\n");
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "a\n9000\n"));
}

#[test]
fn the_end_of_input_comes_even_if_what_was_typed_is_thrown_away() {
    let python = "import sys, termios; termios.tcflush(0, termios.TCIFLUSH); sys.stdin.read(); print('end')";
    let ended = typed(&format!("sleep 0.1; exec python3 -c \"{python}\""), b"secret\n");
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "end\n"), "{}", text(&ended.stderr));
}

/// Lines of all lengths around those at which a part ends, and a terminal would cut.
fn long_lines() -> Vec<u8> {
    let lengths = [0, 1, 999, 1000, 1001, 1999, 2000, 2001, 4094, 4095, 4096, 4097, 70_000, 3, 1000];
    let mut long = Vec::new();
    for (number, length) in lengths.into_iter().enumerate() {
        long.extend((b'a'..=b'z').cycle().skip(number).take(length));
        long.push(b'\n');
    }
    long.pop();
    long
}

#[test]
fn long_lines_arrive_whole_however_they_are_read() {
    let long = long_lines();
    for size in [1, 7, 999, 1000, 1001, 2000, 4096, 65536] {
        let ended = typed(&format!("dd bs={size} status=none"), &long);
        assert_eq!(ended.how, How::Exited(0));
        assert!(
            ended.stdout.bytes == long,
            "in blocks of {size}: {} of {}",
            ended.stdout.bytes.len(),
            long.len()
        );
    }
}

#[test]
fn a_slow_reader_gets_all() {
    let long = long_lines().repeat(3);
    let ended = typed("sleep 0.1; head -c 5000; sleep 0.1; cat", &long);
    assert!(ended.stdout.bytes == long);
}

#[test]
fn a_long_text_arrives_whole() {
    let long = b"a line like many others\n".repeat(100_000);
    assert!(typed("cat", &long).stdout.bytes == long);
}

#[test]
fn every_byte_arrives_as_it_is() {
    for without in [4, 11, 254] {
        let all: Vec<u8> = (0..=255).filter(|byte| *byte != without).collect();
        for script in ["cat", "dd bs=1 status=none"] {
            assert!(typed(script, &all).stdout.bytes == all, "{script} without {without}");
        }
    }
    let command =
        Command { input: Input::Terminal((0..=255).filter(|byte| *byte != b'\n').collect()), ..shell("cat") };
    let error = run(&command, &Stop::new().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "stdin_text for a terminal uses every byte value, so none is left to mark its end"
    );
}

#[test]
fn nothing_is_echoed_and_what_is_written_to_the_terminal_is_thrown_away() {
    let ended = typed("head -c 1000000 /dev/zero >&0; echo through; cat", b"typed\n");
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "through\ntyped\n"));
}

#[test]
fn a_process_that_never_reads_is_not_held_up() {
    let ended = typed("sleep 0.1; echo done", &b"line\n".repeat(1_000_000));
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "done\n"));
}

#[test]
fn a_process_may_close_the_terminal() {
    let ended = typed("exec <&-; sleep 0.1; echo on", &b"line\n".repeat(10_000));
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "on\n"));
}

#[test]
fn waiting_at_a_terminal_takes_no_time_of_the_processor() {
    let before = ticks();
    typed("sleep 1", b"text\n");
    typed("exec <&-; sleep 1", b"text\n");
    assert!(ticks() - before < 10, "{} hundredths of a second", ticks() - before);
}
