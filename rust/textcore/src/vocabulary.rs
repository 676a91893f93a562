//! Whisper's vocabularies, read in place from the program's constants: nothing is made at start.

pub struct Vocabulary {
    /// Where each token starts in `bytes`: u32, little endian, one more than there are tokens.
    offsets: &'static [u8],
    /// The tokens in rank order, one after another.
    bytes: &'static [u8],
    /// The ranks ordered by their tokens' bytes: u16, little endian.
    by_bytes: &'static [u8],
    /// For each rank where its token was merged, 0 for none.
    splits: &'static [u8],
}

macro_rules! tables {
    ($name:literal) => {
        Vocabulary {
            offsets: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".offsets")),
            bytes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bytes")),
            by_bytes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".by_bytes")),
            splits: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".splits")),
        }
    };
}

pub static MULTILINGUAL: Vocabulary = tables!("multilingual");
pub static ENGLISH: Vocabulary = tables!("gpt2");

impl Vocabulary {
    pub fn count(&self) -> usize {
        self.by_bytes.len() / 2
    }

    pub fn token(&self, rank: usize) -> Option<&'static [u8]> {
        (rank < self.count()).then(|| &self.bytes[self.offset(rank)..self.offset(rank + 1)])
    }

    /// The two tokens whose merge training made the token of this rank, where it made any.
    pub fn parts(&self, rank: usize) -> Option<(&'static [u8], &'static [u8])> {
        let token = self.token(rank)?;
        let split = usize::from(self.splits[rank]);
        (split > 0).then(|| token.split_at(split))
    }

    pub fn rank(&self, token: &[u8]) -> Option<u32> {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = (low + high) / 2;
            let rank = self.ordered(middle);
            match self.bytes[self.offset(rank)..self.offset(rank + 1)].cmp(token) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(rank as u32),
            }
        }
        None
    }

    fn offset(&self, rank: usize) -> usize {
        let at = 4 * rank;
        u32::from_le_bytes(self.offsets[at..at + 4].try_into().expect("four bytes")) as usize
    }

    fn ordered(&self, place: usize) -> usize {
        let at = 2 * place;
        usize::from(u16::from_le_bytes(
            self.by_bytes[at..at + 2].try_into().expect("two bytes"),
        ))
    }
}
