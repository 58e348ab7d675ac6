//! Objects as rules: the members by name, and where further names may come from.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::compose::{Breach, Emptiness, ObjectShape, Set, Shape};
use crate::json::count;
use crate::sampler::compile::{Compiler, text_shape};
use crate::sampler::{At, Rule, UNREACHABLE};
use crate::text::{TextSampler, TextShape};
use crate::validate::Judge;

/// How objects of one set are drawn.
#[derive(Debug)]
pub(crate) struct ObjectRule {
    /// Fewest members.
    pub(crate) low: u64,
    /// Most members.
    pub(crate) high: Option<u64>,
    /// Members with a known name, in the order in which the contract's text first names them.
    pub(crate) members: Vec<Member>,
    /// Where further names come from.
    pub(crate) extras: Vec<Extra>,
    /// Members that must be there although their names are free: one of each list.
    pub(crate) breaches: Vec<Vec<Extra>>,
    /// Whether names have to be judged as well.
    pub(crate) names: Option<Arc<Judge>>,
    /// How many members are required.
    pub(crate) n_required: usize,
    /// How many are optional and can be drawn.
    pub(crate) n_optional: usize,
    /// What members with free names are to it.
    pub(crate) freedom: Freedom,
}

/// What members with free names are to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// There can be none.
    Closed,
    /// Nobody ruled them out: an object that declares its members is seldom meant to have others.
    Loose,
    /// They are meant: something is said of their names or values, or there are no others.
    Map,
}

impl ObjectRule {
    /// Works out which members can be drawn, once the heights of all rules are known.
    pub(super) fn settle(&mut self, heights: &[u32], is_any: &[bool]) {
        let is_open = |extra: &Extra| heights[extra.value.index()] < UNREACHABLE;
        self.freedom = match self.extras.as_slice() {
            extras if !extras.iter().any(is_open) => Freedom::Closed,
            [extra] if !self.members.is_empty() && is_any[extra.value.index()] => Freedom::Loose,
            _ => Freedom::Map,
        };
        for member in &mut self.members {
            member.is_optional = !member.is_required && heights[member.value.index()] < UNREACHABLE;
        }
        self.n_required = self.members.iter().filter(|member| member.is_required).count();
        self.n_optional = self.members.iter().filter(|member| member.is_optional).count();
    }
}

/// A member with a known name.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) value: At,
    pub(crate) is_required: bool,
    /// It may be left out and can be drawn; known once the heights of all rules are.
    pub(crate) is_optional: bool,
}

impl Member {
    fn new(name: &str, value: At, is_required: bool) -> Self {
        Self { name: name.to_owned(), value, is_required, is_optional: false }
    }
}

/// Members whose names are drawn.
#[derive(Debug)]
pub(crate) struct Extra {
    pub(crate) names: Names,
    pub(crate) value: At,
}

/// Where names come from.
#[derive(Debug)]
pub(crate) enum Names {
    /// Drawn.
    Drawn(Arc<TextSampler>),
    /// One of these.
    Listed(Vec<String>),
}

/// Names that people would choose, tried before any name at all.
const PLAIN_NAME: &str = "^[a-z]{3,8}([A-Z][a-z]{2,6})?$";

impl Compiler {
    pub(super) fn object(&mut self, shape: ObjectShape) -> Rule {
        let low = shape.min_properties.as_ref().map_or(0, count);
        let most = self.setting.limits.instance_values;
        if low > most {
            self.trouble(&format!(
                "an object needs at least {low} members; at most {most} values are drawn in one instance"
            ));
            return Rule::Nothing;
        }
        let rules = Declared::of(shape);
        let names = rules.names.as_ref().map(|names| self.judge(names));
        let is_name = |name: &str| names.as_ref().is_none_or(|names| names.admits(&Value::from(name)));
        let required: BTreeSet<&String> = rules.required.iter().collect();
        if !required.iter().all(|name| is_name(name)) {
            return Rule::Nothing;
        }
        let mut members = Vec::new();
        for name in required.iter().copied().filter(|name| rules.property(name).is_none()) {
            members.push(Member::new(name, self.member(&rules, name), true));
        }
        for (name, set) in &rules.properties {
            let is_required = required.contains(name);
            if is_required || (is_name(name) && set.emptiness() == Emptiness::Open) {
                members.push(Member::new(name, self.member(&rules, name), is_required));
            }
        }
        let order = Arc::clone(&self.setting.order);
        members.sort_by_key(|member| order.get(&member.name).copied().unwrap_or(u32::MAX));
        let extras = self.extras(&rules);
        let mut breaches = Vec::new();
        for breach in &rules.breaches {
            breaches.push(self.breach(&rules, breach));
        }
        Rule::Object(Box::new(ObjectRule {
            low,
            high: rules.high,
            members,
            extras,
            breaches,
            names,
            n_required: 0,
            n_optional: 0,
            freedom: Freedom::Closed,
        }))
    }

    /// The rule of a member by its name: what is said of the name, of every pattern that finds it, or of the rest.
    fn member(&mut self, rules: &Declared, name: &str) -> At {
        let mut parts: Vec<Set> = rules.property(name).into_iter().cloned().collect();
        for (pattern, set) in &rules.patterns {
            if self.is_match(pattern, name) {
                parts.push(set.clone());
            }
        }
        if parts.is_empty() {
            parts.extend(rules.additional.clone());
        }
        match parts.len() {
            0 => self.anything(),
            1 => self.enter(parts.remove(0)),
            _ => self.enter_all(&parts),
        }
    }

    fn extras(&mut self, rules: &Declared) -> Vec<Extra> {
        let mut extras = Vec::new();
        for (index, (pattern, set)) in rules.patterns.iter().enumerate() {
            let others = rules.patterns.iter().enumerate().filter(|(other, _)| *other != index);
            let barred = others.map(|(_, (pattern, _))| pattern.clone()).collect();
            let shape =
                TextShape { patterns: vec![pattern.clone()], barred_patterns: barred, ..rules.undeclared() };
            if let Some(names) = self.names(rules, shape, None) {
                let value = self.enter(set.clone());
                extras.push(Extra { names, value });
            }
        }
        let is_closed = rules.additional.as_ref().is_some_and(|set| set.emptiness() == Emptiness::Empty);
        if !is_closed {
            let shape = TextShape { barred_patterns: rules.pattern_texts(), ..rules.undeclared() };
            // Patterns that find every plain name are meant for all names; what escapes them is of no use.
            let is_covered = !extras.is_empty() && {
                let plain = both(
                    shape.clone(),
                    TextShape { patterns: vec![PLAIN_NAME.to_owned()], ..TextShape::default() },
                );
                self.texts(&plain).is_none()
            };
            let names = if is_covered { None } else { self.names(rules, shape, Some(PLAIN_NAME)) };
            if let Some(names) = names {
                let value = match &rules.additional {
                    Some(set) => self.enter(set.clone()),
                    None => self.anything(),
                };
                extras.push(Extra { names, value });
            }
        }
        extras
    }

    /// Names of a shape that the set of names allows too; plain ones when there are any.
    fn names(&mut self, rules: &Declared, shape: TextShape, plain: Option<&str>) -> Option<Names> {
        let shape = match rules.names.as_ref().map(Set::shape) {
            Some(Shape::String(names)) => both(shape, text_shape(&names)),
            Some(Shape::Enum(values)) => {
                let text = self.texts(&shape)?;
                let listed =
                    values.iter().filter_map(Value::as_str).filter(|name| text.matches(name).unwrap_or(true));
                let listed: Vec<String> = listed.map(str::to_owned).collect();
                return (!listed.is_empty()).then_some(Names::Listed(listed));
            }
            Some(Shape::Const(Value::String(name))) => {
                let text = self.texts(&shape)?;
                return text.matches(&name).unwrap_or(true).then(|| Names::Listed(vec![name]));
            }
            Some(Shape::False) => return None,
            // Any other set of names is judged when a name was drawn.
            Some(_) | None => shape,
        };
        let plainer = plain.and_then(|plain| {
            let mut shape = shape.clone();
            shape.patterns.push(plain.to_owned());
            self.texts(&shape)
        });
        let text = match plainer {
            Some(text) => Some(text),
            None => self.texts(&shape),
        };
        text.map(Names::Drawn)
    }

    fn anything(&mut self) -> At {
        self.push(Rule::Anything)
    }

    /// A member that breaks a rule, as a choice of ways to have it.
    fn breach(&mut self, rules: &Declared, breach: &Breach) -> Vec<Extra> {
        match breach {
            Breach::NameFails(names) => {
                let Some(failing) = failing_names(&Set::from(names.clone())) else { return Vec::new() };
                let free = TextShape { barred_patterns: rules.pattern_texts(), ..rules.undeclared() };
                let shape = both(free, failing);
                let value = match &rules.additional {
                    Some(set) => self.enter(set.clone()),
                    None => self.anything(),
                };
                self.names(rules, shape, Some(PLAIN_NAME))
                    .map(|names| Extra { names, value })
                    .into_iter()
                    .collect()
            }
            Breach::UndeclaredValueFails { names, patterns, additional } => {
                let mut excluded = names.clone();
                excluded.extend(rules.properties.iter().map(|(name, _)| name.clone()));
                let barred_patterns = patterns.iter().cloned().chain(rules.pattern_texts()).collect();
                let shape = TextShape { barred_patterns, excluded, ..TextShape::default() };
                let free = self.failing(rules, shape, &additional.clone().into(), rules.additional.clone());
                // A declared member that the broken rule does not name may break it as well.
                let declared = rules.properties.iter().filter(|(name, _)| !names.contains(name));
                let declared: Vec<(String, Set)> = declared.cloned().collect();
                let mut ways: Vec<Extra> = free.into_iter().collect();
                for (name, set) in declared {
                    if patterns.iter().any(|pattern| self.is_match(pattern, &name)) {
                        continue;
                    }
                    if let Some(value) = set.without(&additional.clone().into()) {
                        let value = self.enter(value);
                        ways.push(Extra { names: Names::Listed(vec![name]), value });
                    }
                }
                ways
            }
            Breach::PatternValueFails { pattern, schema } => {
                let failed = Set::from(schema.clone());
                let shape = TextShape {
                    patterns: vec![pattern.clone()],
                    barred_patterns: rules
                        .pattern_texts()
                        .into_iter()
                        .filter(|other| other != pattern)
                        .collect(),
                    ..rules.undeclared()
                };
                let own =
                    rules.patterns.iter().find(|(known, _)| known == pattern).map(|(_, set)| set.clone());
                let mut ways: Vec<Extra> = self
                    .failing(rules, shape, &failed, own.or_else(|| rules.additional.clone()))
                    .into_iter()
                    .collect();
                for (name, set) in rules.properties.clone() {
                    if !self.is_match(pattern, &name) {
                        continue;
                    }
                    if let Some(value) = set.without(&failed) {
                        let value = self.enter(value);
                        ways.push(Extra { names: Names::Listed(vec![name]), value });
                    }
                }
                ways
            }
        }
    }

    /// A member with a name of a shape whose value is allowed there and fails a set.
    fn failing(
        &mut self,
        rules: &Declared,
        shape: TextShape,
        failed: &Set,
        allowed: Option<Set>,
    ) -> Option<Extra> {
        let value = match allowed {
            Some(allowed) => allowed.without(failed)?,
            None => failed.opposite()?,
        };
        if value.emptiness() == Emptiness::Empty {
            return None;
        }
        let names = self.names(rules, shape, Some(PLAIN_NAME))?;
        Some(Extra { names, value: self.enter(value) })
    }
}

/// The parts of an object's shape, as sets.
struct Declared {
    high: Option<u64>,
    required: Vec<String>,
    properties: Vec<(String, Set)>,
    patterns: Vec<(String, Set)>,
    additional: Option<Set>,
    names: Option<Set>,
    breaches: Vec<Breach>,
}

impl Declared {
    fn of(shape: ObjectShape) -> Self {
        let ObjectShape {
            min_properties: _,
            max_properties,
            required,
            property_names,
            properties,
            pattern_properties,
            additional_properties,
            violations,
        } = shape;
        Self {
            high: max_properties.as_ref().map(count),
            required,
            properties: properties.into_iter().map(|(name, set)| (name, set.into())).collect(),
            patterns: pattern_properties.into_iter().map(|(pattern, set)| (pattern, set.into())).collect(),
            additional: additional_properties.map(Set::from),
            names: property_names.map(Set::from),
            breaches: violations,
        }
    }

    /// Names come sorted, so a name is found by halving.
    fn property(&self, name: &str) -> Option<&Set> {
        let index = self.properties.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        Some(&self.properties[index].1)
    }

    fn pattern_texts(&self) -> Vec<String> {
        self.patterns.iter().map(|(pattern, _)| pattern.clone()).collect()
    }

    /// Any name that is not declared.
    fn undeclared(&self) -> TextShape {
        let excluded =
            self.properties.iter().map(|(name, _)| name.clone()).chain(self.required.iter().cloned());
        TextShape { excluded: excluded.collect(), ..TextShape::default() }
    }
}

/// Strings that a set of names does not allow.
fn failing_names(names: &Set) -> Option<TextShape> {
    match names.shape() {
        Shape::False => Some(TextShape::default()),
        Shape::Const(value) => Some(TextShape { excluded: texts(&[value]), ..TextShape::default() }),
        Shape::Enum(values) => Some(TextShape { excluded: texts(&values), ..TextShape::default() }),
        _ => match names.opposite()?.shape() {
            Shape::String(shape) => Some(text_shape(&shape)),
            Shape::AnyOf(parts) => parts.into_iter().map(Set::from).find_map(|part| match part.shape() {
                Shape::String(shape) => Some(text_shape(&shape)),
                _ => None,
            }),
            _ => None,
        },
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What two shapes of strings demand together.
fn both(left: TextShape, right: TextShape) -> TextShape {
    let TextShape {
        min_length,
        max_length,
        patterns,
        barred_patterns,
        formats,
        barred_formats,
        excluded,
        content_media_types,
        content_encodings,
    } = right;
    let shorter = match (left.max_length, max_length) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    };
    TextShape {
        min_length: left.min_length.max(min_length),
        max_length: shorter,
        patterns: [left.patterns, patterns].concat(),
        barred_patterns: [left.barred_patterns, barred_patterns].concat(),
        formats: [left.formats, formats].concat(),
        barred_formats: [left.barred_formats, barred_formats].concat(),
        excluded: [left.excluded, excluded].concat(),
        content_media_types: [left.content_media_types, content_media_types].concat(),
        content_encodings: [left.content_encodings, content_encodings].concat(),
    }
}
