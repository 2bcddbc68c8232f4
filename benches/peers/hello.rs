//! The least that a program can do: its start-up is the limit of every other.

fn main() {
    println!("hello");
}
