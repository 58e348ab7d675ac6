//! Sets into rules: each set is looked at once, and what is left opaque is composed further or drawn and judged.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::compose::{Emptiness, Kind, Set, Shape, StringShape};
use crate::json::count;
use crate::sampler::number::NumberRule;
use crate::sampler::{At, Demand, Problem, Rule, Setting};
use crate::text::{TextLimits, TextProblem, TextSampler, TextShape};
use crate::validate::Judge;

/// More alternatives of an exactly-one than this are judged, not subtracted from each other.
const MOST_SUBTRACTED: usize = 12;
/// Sets with more parts than this are judged, not negated.
const MOST_PARTS: usize = 150;
/// Times that parts are met which meeting has left apart.
const MOST_ROUNDS: usize = 8;

pub(super) struct Compiled {
    pub(super) rules: Vec<Rule>,
    pub(super) root: At,
    pub(super) problems: Vec<Problem>,
}

pub(super) fn compile(set: &Set, setting: &Setting) -> Compiled {
    let mut compiler = Compiler {
        setting: setting.clone(),
        rules: Vec::new(),
        open: VecDeque::new(),
        named: BTreeMap::new(),
        patterns: BTreeMap::new(),
        judges: BTreeMap::new(),
        texts: BTreeMap::new(),
        problems: Vec::new(),
    };
    let root = compiler.enter(set.clone());
    while let Some((at, set)) = compiler.open.pop_front() {
        let rule = compiler.rule(&set);
        compiler.rules[at.index()] = rule;
    }
    Compiled { rules: compiler.rules, root, problems: compiler.problems }
}

pub(super) struct Compiler {
    pub(super) setting: Setting,
    rules: Vec<Rule>,
    open: VecDeque<(At, Set)>,
    /// Sets that references name, so that recursion ends.
    named: BTreeMap<Set, At>,
    patterns: BTreeMap<String, Judge>,
    /// Judges by what they judge: alternatives of one choice are judged by the same others.
    judges: BTreeMap<Set, Arc<Judge>>,
    /// Samplers of strings by the look of their shape: most contracts repeat a few.
    texts: BTreeMap<String, Option<Arc<TextSampler>>>,
    problems: Vec<Problem>,
}

impl Compiler {
    /// A place for the rule of a set; it is compiled later. What is costly to compile is compiled once.
    pub(super) fn enter(&mut self, set: Set) -> At {
        match set.shape() {
            Shape::AllOf(_) | Shape::OneOf(_) | Shape::Not(_) => self.once(set),
            _ => self.enter_new(set),
        }
    }

    fn enter_new(&mut self, set: Set) -> At {
        let at = At(u32::try_from(self.rules.len()).expect("the rule limit is below 2^32"));
        if self.rules.len() >= self.setting.limits.sampler_nodes {
            if self.rules.len() == self.setting.limits.sampler_nodes {
                self.trouble(
                    "the contract unfolds into more rules than the limit; instances are drawn without the rest and judged by it afterwards",
                );
            }
            self.rules.push(Rule::Anything);
            return at;
        }
        self.rules.push(Rule::Nothing);
        self.open.push_back((at, set));
        at
    }

    pub(super) fn push(&mut self, rule: Rule) -> At {
        let at = At(u32::try_from(self.rules.len()).expect("the rule limit is below 2^32"));
        self.rules.push(rule);
        at
    }

    pub(super) fn trouble(&mut self, text: &str) {
        let problem = Problem { text: text.to_owned() };
        if self.problems.len() < 100 && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// The rule of what all parts admit together.
    pub(super) fn enter_all(&mut self, parts: &[Set]) -> At {
        if let Some(set) = Self::meet_all(parts) {
            return self.enter(set);
        }
        let rule = self.judged(parts, &[]);
        self.push(rule)
    }

    fn meet_all(parts: &[Set]) -> Option<Set> {
        let (first, rest) = parts.split_first()?;
        rest.iter().try_fold(first.clone(), |met, part| met.meet(part))
    }

    pub(super) fn judge(&mut self, set: &Set) -> Arc<Judge> {
        let Setting { dialect, formats, limits: _, order: _ } = self.setting;
        let (key, set) = (set.clone(), set.clone());
        let new = || Arc::new(Judge::lazily(move || set.to_schema(), dialect, formats));
        self.judges.entry(key).or_insert_with(new).clone()
    }

    /// Whether a name is found by a pattern.
    pub(super) fn is_match(&mut self, pattern: &str, name: &str) -> bool {
        let Setting { dialect, formats, limits: _, order: _ } = self.setting;
        let judge = self
            .patterns
            .entry(pattern.to_owned())
            .or_insert_with(|| Judge::of(json!({ "pattern": pattern }), dialect, formats));
        judge.admits(&Value::from(name))
    }

    fn rule(&mut self, set: &Set) -> Rule {
        match set.shape() {
            Shape::True | Shape::Raw(_) => Rule::Anything,
            Shape::False => Rule::Nothing,
            Shape::Const(value) => Rule::Choice(vec![value]),
            Shape::Enum(values) if values.is_empty() => Rule::Nothing,
            Shape::Enum(values) => Rule::Choice(values),
            Shape::MultiType(kinds) => Rule::Kinds(without_doubles(kinds.iter().collect())),
            Shape::TypedGroup(group) => self.typed(group.ty, group.body.into()),
            Shape::String(shape) => self.text(&shape),
            Shape::Integer(shape) => NumberRule::integers(&shape).map_or(Rule::Nothing, Rule::Number),
            Shape::Number(shape) => NumberRule::numbers(&shape).map_or(Rule::Nothing, Rule::Number),
            Shape::Array(shape) => self.array(shape),
            Shape::Object(shape) => self.object(shape),
            Shape::AnyOf(parts) => {
                Rule::Union(parts.into_iter().map(|part| self.enter(part.into())).collect())
            }
            Shape::OneOf(parts) => self.exactly_one(&parts.into_iter().map(Set::from).collect::<Vec<_>>()),
            Shape::AllOf(parts) => self.all(set, &parts.into_iter().map(Set::from).collect::<Vec<_>>()),
            Shape::Not(part) => self.opposite(&(*part).into()),
            Shape::Reference(name) => match set.named(&name) {
                Some(named) => Rule::Same(self.once(named)),
                None => Rule::Anything,
            },
        }
    }

    /// The place of a set that a reference names: always the same one.
    fn once(&mut self, set: Set) -> At {
        if let Some(at) = self.named.get(&set) {
            return *at;
        }
        let at = self.enter_new(set.clone());
        self.named.insert(set, at);
        at
    }

    fn typed(&mut self, kind: Kind, body: Set) -> Rule {
        match body.shape() {
            Shape::True => Rule::Kinds(vec![kind]),
            Shape::String(_) | Shape::Integer(_) | Shape::Number(_) | Shape::Array(_) | Shape::Object(_) => {
                self.rule(&body)
            }
            _ => {
                let typed = json!({ "type": kind.to_string() });
                let judge = Arc::new(Judge::of(typed, self.setting.dialect, self.setting.formats));
                let from = vec![self.enter(body), self.push(Rule::Kinds(vec![kind]))];
                Rule::Judged { from, demands: vec![Demand { judge, wanted: true }] }
            }
        }
    }

    fn text(&mut self, shape: &StringShape) -> Rule {
        match self.texts(&text_shape(shape)) {
            Some(text) => Rule::Text(text),
            None => Rule::Nothing,
        }
    }

    /// The sampler of a shape of strings; `None`, with the reason noted, when nothing can be drawn.
    pub(super) fn texts(&mut self, shape: &TextShape) -> Option<Arc<TextSampler>> {
        let key = format!("{shape:?}");
        if let Some(known) = self.texts.get(&key) {
            return known.clone();
        }
        let text = self.new_texts(shape).map(Arc::new);
        self.texts.insert(key, text.clone());
        text
    }

    fn new_texts(&mut self, shape: &TextShape) -> Option<TextSampler> {
        let limits = TextLimits { max_length: self.setting.limits.max_length, max_states: 4_000 };
        match TextSampler::compile(shape, &limits) {
            Ok(text) => Some(text),
            Err(TextProblem::Empty { .. }) => None,
            Err(problem) => {
                self.trouble(&problem.to_string());
                None
            }
        }
    }

    /// Exactly one of the parts: each without all the others, or each judged by the others.
    fn exactly_one(&mut self, parts: &[Set]) -> Rule {
        let can_subtract = parts.len() <= MOST_SUBTRACTED && parts.iter().all(Self::is_small);
        let mut union = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let others: Vec<Set> = parts
                .iter()
                .enumerate()
                .filter(|(at, other)| *at != index && !part.is_apart(other))
                .map(|(_, other)| other.clone())
                .collect();
            let alone = can_subtract
                .then(|| others.iter().try_fold(part.clone(), |left, other| left.without(other)))
                .flatten();
            union.push(if let Some(set) = alone {
                self.enter(set)
            } else {
                let rule = self.judged(std::slice::from_ref(part), &others);
                self.push(rule)
            });
        }
        Rule::Union(union)
    }

    /// All of the parts, where composing the document left them apart.
    fn all(&mut self, whole: &Set, parts: &[Set]) -> Rule {
        let mut parts = Self::flattened(parts);
        for _ in 0..MOST_ROUNDS {
            if parts.iter().any(|part| matches!(part.shape(), Shape::Not(_))) {
                return self.all_but(&parts);
            }
            let Some(met) = Self::meet_all(&parts) else { break };
            let Shape::AllOf(left) = met.shape() else { return Rule::Same(self.once(met)) };
            // References that stood inside the parts stand beside them now, and can be met in their turn.
            let left = Self::flattened(&left.into_iter().map(Set::from).collect::<Vec<_>>());
            if left == parts {
                break;
            }
            parts = left;
        }
        if let Some(union) = self.spread(whole, &parts) {
            return union;
        }
        self.judged(&parts, &[])
    }

    /// All of the parts, some of which bar others: subtracted where that is cheap, judged otherwise.
    fn all_but(&mut self, parts: &[Set]) -> Rule {
        let (barred, parts): (Vec<Set>, Vec<Set>) =
            parts.iter().cloned().partition(|part| matches!(part.shape(), Shape::Not(_)));
        let barred: Vec<Set> = barred
            .iter()
            .filter_map(|part| match part.shape() {
                Shape::Not(inner) => Some(Self::unfolded(&Set::from(*inner))),
                _ => None,
            })
            .collect();
        let met = Self::meet_all(&parts);
        if let Some(met) = met.as_ref().filter(|met| Self::is_small(met))
            && barred.iter().all(Self::is_small)
            && let Some(left) = barred.iter().try_fold(met.clone(), |left, part| left.without(part))
            && !matches!(left.shape(), Shape::AllOf(_))
        {
            return Rule::Same(self.once(left));
        }
        match met {
            Some(met) => self.judged(&[met], &barred),
            None if parts.is_empty() => {
                let from = vec![self.push(Rule::Anything)];
                let demands =
                    barred.iter().map(|set| Demand { judge: self.judge(set), wanted: false }).collect();
                Rule::Judged { from, demands }
            }
            None => self.judged(&parts, &barred),
        }
    }

    /// Whether subtracting a set is worth trying: negating a large one takes long and seldom comes out.
    fn is_small(set: &Set) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![set.clone()];
        let mut n_seen = 0;
        while let Some(set) = open.pop() {
            n_seen += 1;
            if n_seen > MOST_PARTS {
                return false;
            }
            if let Shape::Reference(name) = set.shape() {
                if seen.insert(name.clone()) {
                    open.extend(set.named(&name));
                }
                continue;
            }
            open.extend(set.parts());
        }
        true
    }

    /// A choice among the parts is spread over the others: each alternative meets them on its own.
    fn spread(&mut self, whole: &Set, parts: &[Set]) -> Option<Rule> {
        let (index, choices) = parts.iter().enumerate().find_map(|(index, part)| match part.shape() {
            Shape::AnyOf(choices) | Shape::OneOf(choices) => Some((index, choices)),
            _ => None,
        })?;
        let demand = |compiler: &mut Self| Demand { judge: compiler.judge(whole), wanted: true };
        let mut union = Vec::new();
        for choice in choices {
            let mut own = parts.to_vec();
            own[index] = Self::unfolded(&choice.into());
            let drawn = match Self::meet_all(&own) {
                Some(met) if met.emptiness() == Emptiness::Empty => continue,
                Some(met) if !matches!(met.shape(), Shape::AllOf(_)) => self.enter(met),
                Some(_) | None => self.enter(own[index].clone()),
            };
            let rule = Rule::Judged { from: vec![drawn], demands: vec![demand(self)] };
            union.push(self.push(rule));
        }
        Some(Rule::Union(union))
    }

    /// The parts with what references name instead of the references, and the parts of parts that are all of several.
    fn flattened(parts: &[Set]) -> Vec<Set> {
        let mut flat = Vec::new();
        let mut open: VecDeque<Set> = parts.iter().cloned().collect();
        // Each part is looked into once, so that parts made of themselves end.
        let mut seen = BTreeSet::new();
        while let Some(part) = open.pop_front() {
            let part = Self::unfolded(&part);
            if !seen.insert(part.clone()) {
                continue;
            }
            match part.shape() {
                Shape::AllOf(parts) if seen.len() < MOST_PARTS => {
                    open.extend(parts.into_iter().map(Set::from));
                }
                _ => flat.push(part),
            }
        }
        flat
    }

    /// What a reference names instead of the reference.
    fn unfolded(set: &Set) -> Set {
        let mut set = set.clone();
        // References to references end within the number of definitions; this many hops suffice in practice.
        for _ in 0..64 {
            let Shape::Reference(name) = set.shape() else { break };
            let Some(named) = set.named(&name) else { break };
            set = named;
        }
        set
    }

    fn opposite(&mut self, part: &Set) -> Rule {
        let part = Self::unfolded(part);
        match Self::is_small(&part).then(|| part.opposite()).flatten() {
            Some(set) if !matches!(set.shape(), Shape::Not(_)) => self.rule(&set),
            Some(_) | None => {
                let from = vec![self.push(Rule::Anything)];
                Rule::Judged { from, demands: vec![Demand { judge: self.judge(&part), wanted: false }] }
            }
        }
    }

    /// Values of any of the `wanted` parts that satisfy all of these and none of the others.
    fn judged(&mut self, wanted: &[Set], unwanted: &[Set]) -> Rule {
        let mut from: Vec<Set> = wanted.to_vec();
        from.sort_by_key(looseness);
        let from = from.into_iter().map(|part| self.enter(part)).collect();
        let wanted = if wanted.len() > 1 { wanted } else { &[] };
        let demands = wanted.iter().map(|set| (set, true)).chain(unwanted.iter().map(|set| (set, false)));
        let demands = demands.map(|(set, wanted)| Demand { judge: self.judge(set), wanted }).collect();
        Rule::Judged { from, demands }
    }
}

/// How little a set says by its look alone: the tightest is drawn from first.
fn looseness(set: &Set) -> u32 {
    match set.shape() {
        Shape::False | Shape::Const(_) | Shape::Enum(_) => 0,
        Shape::String(_) | Shape::Integer(_) | Shape::Number(_) | Shape::Array(_) | Shape::Object(_) => 1,
        Shape::TypedGroup(_) | Shape::Reference(_) => 2,
        Shape::OneOf(_) | Shape::AnyOf(_) | Shape::AllOf(_) => 3,
        Shape::MultiType(_) => 4,
        Shape::Not(_) => 5,
        Shape::True | Shape::Raw(_) => 6,
    }
}

/// An integer is a number, so beside numbers it is no choice of its own.
fn without_doubles(mut kinds: Vec<Kind>) -> Vec<Kind> {
    if kinds.contains(&Kind::Number) {
        kinds.retain(|kind| *kind != Kind::Integer);
    }
    kinds
}

pub(super) fn text_shape(shape: &StringShape) -> TextShape {
    let StringShape {
        min_length,
        max_length,
        patterns,
        excluded_patterns,
        formats,
        excluded_formats,
        content_media_types,
        content_encodings,
        excluded,
    } = shape.clone();
    let limit = |number: Option<serde_json::Number>| number.as_ref().map(count);
    TextShape {
        min_length: limit(min_length).unwrap_or(0),
        max_length: limit(max_length),
        patterns,
        barred_patterns: excluded_patterns,
        formats,
        barred_formats: excluded_formats,
        excluded,
        content_media_types,
        content_encodings,
    }
}
