mod common;
use common::random::{Numbers, Random};
use common::rates;
use fairwire_alloc::{Criterion, check, solve};
use std::collections::BTreeMap;

#[test]
fn probe() {
    let n: u64 = std::env::var("PROBE").ok().map_or(500, |s| s.parse().unwrap());
    let mut counts: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let mut random = Random::new(77);
    for case in 0..n {
        let numbers = match case % 3 {
            0 => Numbers::Wide,
            1 => Numbers::Reals,
            _ => Numbers::Integers,
        };
        let base = random.problem(numbers, if case % 10 == 0 { 40 } else { 12 });
        for criterion in Criterion::ALL {
            if std::env::var("ONLY").is_ok_and(|o| o != criterion.to_string()) {
                continue;
            }
            for edge in [false, true] {
                let mut problem = base.clone();
                if edge {
                    let Ok(fair) = solve(&problem, criterion) else { continue };
                    random.put_demands_at_edges(&mut problem, &rates(&fair));
                }
                let kind = ["wide", "reals", "integers"][(case % 3) as usize];
                let t0 = std::time::Instant::now();
                match solve(&problem, criterion) {
                    Err(e) => {
                        let c = counts.entry(format!("{criterion} {kind} edge={edge} REFUSED")).or_default();
                        c.0 += 1;
                        if c.1.len() < 600 {
                            c.1 += &format!("\n     {case}: {e}");
                        }
                    }
                    Ok(fair) => {
                        if let Err(e) = if std::env::var("SHOW").is_ok_and(|o| o != case.to_string()) {
                            Ok(())
                        } else {
                            check(&problem, criterion, &rates(&fair), 1e-9)
                        } {
                            let c = counts.entry(format!("{criterion} {kind} edge={edge} CHECK")).or_default();
                            if std::env::var("SHOW").is_ok_and(|o| o == case.to_string()) {
                                println!(
                                    "{problem:#?} {:?} {:?}",
                                    rates(&fair),
                                    fair.flows.iter().map(|f| format!("{:?}", f.limited_by)).collect::<Vec<_>>()
                                );
                            }
                            c.0 += 1;
                            if c.1.len() < 600 {
                                c.1 += &format!("\n     {case}: {e}");
                            }
                        }
                    }
                }
                let t = t0.elapsed().as_secs_f64();
                if t > 0.2 {
                    println!("slow {case} {criterion} {kind} {edge} {t}");
                }
            }
        }
    }
    for (k, v) in counts {
        println!("{k}: {} {}", v.0, v.1);
    }
}
