//! x
#![forbid(unsafe_code)]
mod handwritten;
use handwritten::*;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let t = std::time::Instant::now();
    let g =
        Connect { columns: a[0] as u32, rows: a[1] as u32, line: a[2] as u32, own: a[3], of: a[4] };
    println!("{:?} {:?}", solve(g, Side::First), t.elapsed());
}
