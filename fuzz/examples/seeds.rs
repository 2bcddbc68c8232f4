//! Writes the seeds and the dictionary of every target below a directory: `seeds/<target>/<number>`, `words.dict`.

use std::path::PathBuf;
use std::{env, fs, io};

use probative_fuzz::{TARGETS, seeds};

fn main() -> io::Result<()> {
    let directory = PathBuf::from(env::args().nth(1).expect("the directory to write to"));
    for target in &TARGETS {
        let seeds_of = directory.join("seeds").join(target.name);
        fs::create_dir_all(&seeds_of)?;
        for (number, seed) in seeds::of(target.name).into_iter().enumerate() {
            fs::write(seeds_of.join(number.to_string()), seed)?;
        }
        println!("{} {}", target.name, target.longest);
    }
    fs::write(directory.join("words.dict"), seeds::dictionary())
}
