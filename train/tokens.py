"""The reference tokenizer: text → piece numbers. README.md describes the algorithm for other implementations."""
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

STEPS = [normalizers.Lowercase(), normalizers.NFKD(), normalizers.Replace(Regex(r"\p{Mn}+"), ""), normalizers.NFC(), normalizers.Lowercase(),
         normalizers.Replace("ς", "σ"), normalizers.Replace(Regex(r"[^\p{L}\p{N}]+"), " ")]
CLEAN = normalizers.Sequence(STEPS)
ALONE = Regex(r"[\p{Han}\p{Hiragana}]")
LONGEST = 40
UNKNOWN = "[UNK]"


def words_of(text):
    """The words of a normalized text, split as the tokenizer does before it looks for pieces."""
    return [word for word, _ in SPLIT.pre_tokenize_str(CLEAN.normalize_str(text))]


SPLIT = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(ALONE, "isolated")])


class Pieces:
    """`vocabulary`: pieces in order; an entry with a space is a phrase of two adjacent pieces, which is added after the pieces."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        single = {piece: i for i, piece in enumerate(vocabulary) if " " not in piece}
        self.phrases = {}
        for i, piece in enumerate(vocabulary):
            if " " in piece:
                a, b = piece.split(" ")
                self.phrases[single[a], single[b]] = i
        self.unknown = len(vocabulary)
        self.tokenizer = Tokenizer(models.WordPiece({**single, UNKNOWN: self.unknown}, unk_token=UNKNOWN, max_input_chars_per_word=LONGEST))
        self.tokenizer.normalizer, self.tokenizer.pre_tokenizer = CLEAN, SPLIT

    def encode(self, texts, longest):
        """A list of piece numbers per text: at most `longest` pieces without unknown ones, followed by the phrases."""
        rows = []
        for start in range(0, len(texts), 20000):
            for encoding in self.tokenizer.encode_batch(texts[start:start + 20000]):
                ids = [i for i in encoding.ids if i != self.unknown][:longest]
                rows.append(ids + [self.phrases[pair] for pair in zip(ids, ids[1:]) if pair in self.phrases])
        return rows
