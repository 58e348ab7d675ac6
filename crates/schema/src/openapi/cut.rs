//! A cut of an API's documents: only the schemas that some places reach, each at its own pointer, as JSON Schema 2020-12.
//!
//! Cuts keep pointers exact and are small, so that one operation can be made ready without the other hundreds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::document::{Dialect, Document};
use crate::json::Pointer;
use crate::openapi::piece::{Cutter, Direction, Piece, Stock};
use crate::openapi::problem::Problem;
use crate::openapi::shelf::Spot;

/// Where roots stand that are not in the user's own document.
const ROOTS: &str = "x-probity-roots";

/// Cuts out what the roots reach, in the reading that goes either way; where each root stands in the cut comes with it, or
/// what is wrong with something it reaches.
pub(crate) fn cut_all(stock: Stock<'_>, roots: &[Spot]) -> (Document, Vec<Result<Pointer, Problem>>) {
    let pieces = Cutter::new(stock, Direction::Neither, false).pieces(roots);
    let broken = broken(stock, &pieces);
    let sound = |root: &Spot| broken.get(root).map_or(Ok(()), |problem| Err(problem.clone()));
    let verdicts: Vec<Result<(), Problem>> = roots.iter().map(sound).collect();
    let kept: Vec<Piece> = pieces.into_iter().filter(|piece| !broken.contains_key(&piece.spot)).collect();
    let sound: Vec<Spot> = roots
        .iter()
        .zip(&verdicts)
        .filter(|(_, verdict)| verdict.is_ok())
        .map(|(root, _)| root.clone())
        .collect();
    let (document, pointers) = bound(stock, &sound, kept);
    let mut pointers = pointers.into_iter();
    let placed = verdicts
        .into_iter()
        .map(|verdict| verdict.map(|()| pointers.next().expect("every sound root has a place")));
    (document, placed.collect())
}

/// The cut of one root together with its stricter reading, in which values go one way only and name their schemas; the
/// demand, if any, is laid over the root of that reading.
pub(crate) fn cut_one(
    stock: Stock<'_>,
    root: &Spot,
    direction: Direction,
    demand: Option<&Value>,
) -> Result<(Document, Pointer), Problem> {
    let roots = std::slice::from_ref(root);
    let read = |is_strict| {
        let pieces = Cutter::new(stock, direction, is_strict).pieces(roots);
        match broken(stock, &pieces).remove(root) {
            Some(problem) => Err(problem),
            None => Ok(pieces),
        }
    };
    let (mut document, mut pointers) = bound(stock, roots, read(false)?);
    let mut narrower = read(true)?;
    for piece in narrower.iter_mut().filter(|piece| piece.spot == *root) {
        if let (Ok(schema), Some(demand)) = (&mut piece.schema, demand) {
            *schema = json!({"allOf": [schema.take(), demand]});
        }
    }
    let (stricter, _) = bound(stock, roots, narrower);
    if stricter.root != document.root || stricter.supplied != document.supplied {
        document.stricter = Some(Arc::new(stricter));
    }
    Ok((document, pointers.pop().expect("one root has one place")))
}

/// The pieces that cannot be used: those with a fault and whatever refers to them, each with the fault.
fn broken(stock: Stock<'_>, pieces: &[Piece]) -> BTreeMap<Spot, Problem> {
    let mut broken: BTreeMap<Spot, Problem> = BTreeMap::new();
    let mut above: BTreeMap<&Spot, Vec<&Spot>> = BTreeMap::new();
    for piece in pieces {
        for target in &piece.targets {
            above.entry(&target.spot).or_default().push(&piece.spot);
        }
    }
    let faults = pieces.iter().filter_map(|piece| Some((&piece.spot, piece.schema.as_ref().err()?.clone())));
    let circles = circular(pieces).into_iter().map(|spot| {
        let text = "this schema includes itself without end; break the circle of references or allOf";
        (spot, Problem::new(stock.shelf.spelled(spot), text))
    });
    let mut open: Vec<(&Spot, Problem)> = faults.chain(circles).collect();
    while let Some((spot, problem)) = open.pop() {
        if broken.contains_key(spot) {
            continue;
        }
        open.extend(above.get(spot).into_iter().flatten().map(|above| (*above, problem.clone())));
        broken.insert(spot.clone(), problem);
    }
    broken
}

/// The pieces that apply to a value because they apply to it: no validator comes to an end there.
fn circular(pieces: &[Piece]) -> Vec<&Spot> {
    let place: BTreeMap<&Spot, usize> =
        pieces.iter().enumerate().map(|(at, piece)| (&piece.spot, at)).collect();
    let next = |at: usize| {
        let inner = pieces[at].targets.iter().filter(|target| target.is_in_place);
        inner.filter_map(|target| place.get(&target.spot).copied()).collect::<Vec<usize>>()
    };
    // Those from which every way in place comes to an end are taken away, layer by layer; circles are left.
    let mut waits: Vec<usize> = (0..pieces.len()).map(|at| next(at).len()).collect();
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
    (0..pieces.len()).for_each(|at| next(at).into_iter().for_each(|inner| above[inner].push(at)));
    let mut ended: Vec<usize> = (0..pieces.len()).filter(|at| waits[*at] == 0).collect();
    while let Some(at) = ended.pop() {
        for outer in &above[at] {
            waits[*outer] -= 1;
            if waits[*outer] == 0 {
                ended.push(*outer);
            }
        }
    }
    (0..pieces.len()).filter(|at| waits[*at] > 0).map(|at| &pieces[at].spot).collect()
}

/// Puts pieces together into a document.
fn bound(stock: Stock<'_>, roots: &[Spot], mut pieces: Vec<Piece>) -> (Document, Vec<Pointer>) {
    // What stands higher comes first: places inside of it are there already then.
    pieces.sort_by_cached_key(|piece| {
        (piece.spot.volume, piece.spot.pointer.tokens().count(), piece.spot.clone())
    });
    let mut volumes: Vec<Value> = vec![json!({}); stock.shelf.volumes.len()];
    for Piece { spot, schema, targets: _ } in pieces {
        if let Ok(schema) = schema {
            put(&mut volumes[spot.volume], &spot.pointer, schema);
        }
    }
    let mut pointers = Vec::with_capacity(roots.len());
    for (at, root) in roots.iter().enumerate() {
        if root.volume == 0 {
            pointers.push(root.pointer.clone());
            continue;
        }
        let pointer = Pointer::root().child(ROOTS).child(&at.to_string());
        put(&mut volumes[0], &pointer, json!({ "$ref": stock.shelf.reference(0, root) }));
        pointers.push(pointer);
    }
    let mut volumes = stock.shelf.volumes.iter().zip(volumes);
    let (own, root) = volumes.next().expect("there is always the user's own document");
    let supplied = volumes.filter(|(_, value)| value.as_object().is_none_or(|all| !all.is_empty()));
    let document = Document {
        root: Arc::new(root),
        dialect: Dialect::Draft202012,
        base: own.address.clone(),
        supplied: Arc::new(supplied.map(|(volume, value)| (volume.address.clone(), value)).collect()),
        notes: Vec::new(),
        limits: stock.limits.clone(),
        stricter: None,
    };
    (document, pointers)
}

/// Puts a schema at its place; holders that are not there are made as objects, whose members pointers name just as well
/// as the items of a list.
fn put(root: &mut Value, pointer: &Pointer, piece: Value) -> Option<()> {
    let mut value = root;
    let tokens: Vec<String> = pointer.tokens().collect();
    let Some((last, holders)) = tokens.split_last() else {
        *value = piece;
        return Some(());
    };
    for token in holders {
        value = match value {
            Value::Object(members) => members.entry(token.as_str()).or_insert_with(|| json!({})),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    match value {
        Value::Object(members) => {
            // A schema read inside a larger one is there already and says the same.
            members.entry(last.as_str()).or_insert(piece);
            Some(())
        }
        Value::Array(items) => items.get(last.parse::<usize>().ok()?).map(|_| ()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
