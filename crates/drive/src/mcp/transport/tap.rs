//! The tap on the wire: every message passes here once and leaves its trace.
//!
//! What rmcp is given is the skeleton of a message (kind and id); the contents stay here untouched, so no typed
//! model can drop an unknown field or turn a broken result into something plausible.

mod inbound;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, RequestId, ServerJsonRpcMessage};
use tokio::sync::Notify;

use crate::mcp::limits::Limits;
use crate::mcp::transport::anomaly::{Anomaly, AnomalyKind};
use crate::mcp::transport::envelope::Body;
use crate::mcp::transport::excerpt::Excerpt;
use crate::mcp::transport::frame::Frame;
use crate::mcp::transport::record::{Direction, Record, Traffic};

/// Irregularities kept with their details; more are only counted.
const MAX_ANOMALIES: usize = 1_000;

/// A shared view of one session's wire.
#[derive(Clone)]
pub(crate) struct Tap {
    shared: Arc<Shared>,
}

struct Shared {
    tape: Mutex<Tape>,
    suspicion: Notify,
}

/// An answer to a request of ours.
pub(crate) struct Answer {
    pub(crate) body: Body,
    /// The index of the message it came in.
    pub(crate) record: u64,
    /// How many changes of the tool list had been announced when it came.
    pub(crate) n_list_changed: u64,
}

/// What the tap remembers.
pub(crate) struct Tape {
    pub(crate) limits: Limits,
    opened: Instant,
    next_record: u64,
    records: VecDeque<Record>,
    n_kept_bytes: usize,
    anomalies: VecDeque<Anomaly>,
    pub(crate) traffic: Traffic,
    /// Requests of ours that wait for an answer, with their method.
    pub(crate) waiting: BTreeMap<i64, String>,
    /// Requests of ours that were cancelled; a late answer to them is allowed.
    pub(crate) given_up: BTreeSet<i64>,
    /// One more than the highest id we used.
    pub(crate) n_issued: i64,
    /// Answers that were not collected yet.
    pub(crate) answers: BTreeMap<i64, Answer>,
    n_since_request: u64,
    n_suspects: u64,
    is_flooded: bool,
}

impl Tap {
    pub(crate) fn new(limits: &Limits) -> Tap {
        let tape = Tape {
            limits: limits.clone(),
            opened: Instant::now(),
            next_record: 0,
            records: VecDeque::new(),
            n_kept_bytes: 0,
            anomalies: VecDeque::new(),
            traffic: Traffic::default(),
            waiting: BTreeMap::new(),
            given_up: BTreeSet::new(),
            n_issued: 0,
            answers: BTreeMap::new(),
            n_since_request: 0,
            n_suspects: 0,
            is_flooded: false,
        };
        Tap { shared: Arc::new(Shared { tape: Mutex::new(tape), suspicion: Notify::new() }) }
    }

    /// Notes a message that is about to be sent.
    pub(crate) fn sent(&self, message: &ClientJsonRpcMessage, text: &str) {
        let mut tape = self.lock();
        tape.traffic.n_sent += 1;
        tape.record(Direction::Sent, |kept| Excerpt::of(text.as_bytes(), kept));
        match message {
            ClientJsonRpcMessage::Request(request) => {
                tape.n_since_request = 0;
                if let RequestId::Number(id) = request.id {
                    tape.n_issued = tape.n_issued.max(id.saturating_add(1));
                    tape.waiting.insert(id, request.request.method().to_owned());
                }
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(RequestId::Number(id)) = cancelled.params.request_id
                    && tape.waiting.remove(&id).is_some()
                {
                    tape.given_up.insert(id);
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
    }

    /// Notes what came in and gives back what rmcp needs to know of it.
    pub(crate) fn received(&self, frame: Frame) -> Option<ServerJsonRpcMessage> {
        let mut tape = self.lock();
        tape.traffic.n_received += 1;
        tape.n_since_request += 1;
        let limit = tape.limits.messages_per_call;
        let (message, mut is_suspect) = inbound::receive(&mut tape, frame);
        if tape.n_since_request == limit.saturating_add(1) {
            tape.is_flooded = true;
            tape.object(AnomalyKind::Flood, format!("more than {limit} messages within one call"));
        }
        is_suspect |= tape.is_flooded;
        tape.n_suspects += u64::from(is_suspect);
        drop(tape);
        if is_suspect {
            self.shared.suspicion.notify_one();
        }
        message
    }

    /// Notes an irregularity of the transport itself, with the text that shows it.
    pub(crate) fn observe(&self, kind: AnomalyKind, text: &[u8], detail: String) {
        let mut tape = self.lock();
        tape.traffic.n_received += 1;
        tape.record(Direction::Received, |kept| Excerpt::of(text, kept));
        tape.object(kind, detail);
        tape.n_suspects += 1;
        drop(tape);
        self.shared.suspicion.notify_one();
    }

    /// How many messages so far looked like a broken answer.
    pub(crate) fn n_suspects(&self) -> u64 {
        self.lock().n_suspects
    }

    /// Waits until more than `n_known` messages looked like a broken answer.
    pub(crate) async fn suspicion(&self, n_known: u64) {
        while self.n_suspects() <= n_known {
            self.shared.suspicion.notified().await;
        }
    }

    /// Whether the server sent more messages than the limit since our last request.
    pub(crate) fn is_flooded(&self) -> bool {
        self.lock().is_flooded
    }

    /// One more than the highest id we used.
    pub(crate) fn n_issued(&self) -> i64 {
        self.lock().n_issued
    }

    /// Whether a request of ours still waits for its answer.
    pub(crate) fn is_waiting(&self, id: i64) -> bool {
        self.lock().waiting.contains_key(&id)
    }

    /// Takes the answer to a request of ours.
    pub(crate) fn take_answer(&self, id: i64) -> Option<Answer> {
        self.lock().answers.remove(&id)
    }

    /// The messages within these bounds that are still kept.
    pub(crate) fn records(&self, range: Range<u64>) -> Vec<Record> {
        let tape = self.lock();
        let before = |bound| tape.records.partition_point(|record| record.index < bound);
        let (start, end) = (before(range.start), before(range.end));
        tape.records.range(start..end.max(start)).cloned().collect()
    }

    /// Takes the irregularities before this message that nobody took yet.
    pub(crate) fn take_anomalies(&self, end: u64) -> Vec<Anomaly> {
        let mut tape = self.lock();
        let n_taken = tape.anomalies.partition_point(|anomaly| anomaly.record < end);
        tape.anomalies.drain(..n_taken).collect()
    }

    /// Whether there are irregularities of some kinds that nobody took yet.
    pub(crate) fn has_anomaly(&self, is_it: impl Fn(AnomalyKind) -> bool) -> bool {
        self.lock().anomalies.iter().any(|anomaly| is_it(anomaly.kind))
    }

    /// The index the next message will have.
    pub(crate) fn next_record(&self) -> u64 {
        self.lock().next_record
    }

    pub(crate) fn traffic(&self) -> Traffic {
        self.lock().traffic
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        // Nothing under the lock leaves the tape half changed, so a panic elsewhere does not spoil it.
        self.shared.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    /// Keeps a message, at the price of the oldest ones.
    pub(crate) fn record(&mut self, direction: Direction, excerpt: impl FnOnce(usize) -> Excerpt) {
        let text = excerpt(self.limits.kept_bytes);
        let index = self.next_record;
        self.next_record += 1;
        self.n_kept_bytes += text.text.len() + size_of::<Record>();
        self.records.push_back(Record { index, direction, at: self.opened.elapsed(), text });
        while self.n_kept_bytes > self.limits.transcript_bytes
            && let Some(oldest) = self.records.pop_front()
        {
            self.n_kept_bytes -= oldest.text.text.len() + size_of::<Record>();
            self.traffic.n_forgotten += 1;
        }
    }

    /// The index of the message recorded last.
    pub(crate) fn last_record(&self) -> u64 {
        self.next_record.saturating_sub(1)
    }

    /// Notes an irregularity of the message recorded last, which belongs to no request of ours that we know of.
    pub(crate) fn object(&mut self, kind: AnomalyKind, detail: String) {
        self.object_to(None, kind, detail);
    }

    /// Notes an irregularity of the message recorded last, and the request it answers.
    pub(crate) fn object_to(&mut self, request: Option<i64>, kind: AnomalyKind, detail: String) {
        self.traffic.n_anomalies += 1;
        // That there were too many is told however many there are.
        if self.anomalies.len() < MAX_ANOMALIES || kind == AnomalyKind::Flood {
            let record = self.last_record();
            self.anomalies.push_back(Anomaly { kind, record, request, detail });
        }
    }
}
