//! tiktoken's encoding rule, on ranks alone: split the text by GPT-2's pattern; a piece that is a
//! token stays whole; else join the neighbours whose union has the lowest rank, leftmost first.
//! Every such union is a merge of the vocabulary's training, so that `tokenizers`' BPE gives the
//! same ids; but that needs tables of merges, whose making would cost each run some 40 ms.

use crate::vocabulary::Vocabulary;
use regex::Regex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

/// GPT-2's pattern without its look-ahead `\s+(?!\S)`, which `pieces` stands for: so the search is
/// linear, and no run of spaces is too long.
static PIECE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+")
        .expect("GPT-2's pattern compiles")
});

pub fn encode(vocabulary: &Vocabulary, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    for piece in pieces(text) {
        match vocabulary.rank(piece.as_bytes()) {
            Some(rank) => ids.push(rank),
            None => ids.extend(Joiner::new(vocabulary, piece.as_bytes()).join()),
        }
    }
    ids
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut end = PIECE.find_at(text, start)?.end();
        let piece = &text[start..end];
        // White space before a word leaves its last character to the word.
        if end < text.len() && piece.chars().all(char::is_whitespace) {
            let last = piece.chars().next_back().map_or(0, char::len_utf8);
            if last < piece.len() {
                end -= last;
            }
        }
        let piece = &text[start..end];
        start = end;
        Some(piece)
    })
}

/// A piece as a chain of parts; part `i` covers `piece[i..next[i]]`. A part that was joined to its
/// left neighbour has `next` 0.
struct Joiner<'a> {
    vocabulary: &'a Vocabulary,
    piece: &'a [u8],
    next: Vec<usize>,
    previous: Vec<usize>,
    /// (rank of the union, left part, end of the union); stale once a part has changed.
    candidates: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

impl<'a> Joiner<'a> {
    fn new(vocabulary: &'a Vocabulary, piece: &'a [u8]) -> Self {
        let size = piece.len();
        let mut joiner = Joiner {
            vocabulary,
            piece,
            next: (1..=size).collect(),
            previous: (0..=size).map(|i| i.saturating_sub(1)).collect(),
            candidates: BinaryHeap::with_capacity(size),
        };
        for left in 0..size {
            joiner.offer(left);
        }
        joiner
    }

    fn join(mut self) -> Vec<u32> {
        while let Some(Reverse((_, left, end))) = self.candidates.pop() {
            if self.union_end(left) != Some(end) {
                continue;
            }
            let absorbed = self.next[left];
            self.next[left] = end;
            self.next[absorbed] = 0;
            self.previous[end] = left;
            self.offer(left);
            if left > 0 {
                self.offer(self.previous[left]);
            }
        }
        self.ranks()
    }

    /// The end of the union of part `left` with the one after it, when both are there.
    fn union_end(&self, left: usize) -> Option<usize> {
        let middle = self.next[left];
        (middle != 0 && middle < self.piece.len()).then(|| self.next[middle])
    }

    fn offer(&mut self, left: usize) {
        if let Some(end) = self.union_end(left) {
            if let Some(rank) = self.vocabulary.rank(&self.piece[left..end]) {
                self.candidates.push(Reverse((rank, left, end)));
            }
        }
    }

    fn ranks(&self) -> Vec<u32> {
        let mut ranks = Vec::new();
        let mut start = 0;
        while start < self.piece.len() {
            let end = self.next[start];
            let part = &self.piece[start..end];
            ranks.push(self.vocabulary.rank(part).expect("every part is a token"));
            start = end;
        }
        ranks
    }
}
