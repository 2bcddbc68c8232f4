//! Standard input that is nothing, or a pipe.

use super::*;

#[test]
fn nothing_is_an_end_at_once() {
    let ended = fed("cat; readlink /proc/self/fd/0", Input::Nothing);
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "/dev/null\n"));
}

#[test]
fn an_empty_text_is_an_end_at_once() {
    let ended = fed("cat; [ -p /dev/stdin ] && echo pipe", Input::Text(Vec::new()));
    assert_eq!(text(&ended.stdout), "pipe\n");
}

#[test]
fn a_long_text_goes_in_while_it_comes_out() {
    let long: Vec<u8> = (0..=255).cycle().take(5_000_003).collect();
    let ended = fed("cat", Input::Text(long.clone()));
    assert_eq!(ended.how, How::Exited(0));
    assert!(ended.stdout.bytes == long);
}

#[test]
fn a_process_may_close_its_input_early() {
    let long = vec![b'x'; 5_000_000];
    let ended = fed("exec <&-; sleep 0.1; echo on", Input::Text(long.clone()));
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "on\n"));
    let ended = fed("head -c 3", Input::Text(long));
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "xxx"));
}

#[test]
fn a_process_that_never_reads_is_not_held_up() {
    let ended = fed("sleep 0.1; echo done", Input::Text(vec![b'x'; 5_000_000]));
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "done\n"));
}

#[test]
fn a_broken_pipe_ends_the_processes_of_a_pipeline() {
    // In a shell that was started with SIGPIPE ignored, `yes` would complain and end with 1.
    let ended = fed("{ yes; echo $? >&2; } | head -1", Input::Nothing);
    assert_eq!((text(&ended.stdout), text(&ended.stderr)), ("y\n", "141\n"));
}
