"""Chooses the pieces of the table: words of tools first, then general English, other scripts, word endings and phrases.

`python vocabulary.py BUILD` counts the words of BUILD's texts into counts.json.gz; `build` chooses from the counts."""
import gzip, json, math, os, re, sys
from collections import Counter
from tokens import words_of

SMALL = set("a an the of for to in on by with from and or as at is are be this that it you your i me my can do not if all any how what which will has have use used using s t".split())
LATIN = re.compile(r"[a-z0-9]+$")


def count(groups, most):
    """Counts words and pairs of adjacent words; a group (the texts of one server) counts each at most `most` times."""
    words, neighbours = Counter(), Counter()
    for texts in groups:
        own, pairs = Counter(), Counter()
        for text in set(texts):
            row = words_of(text)
            own.update(row)
            pairs.update(zip(row, row[1:]))
        words.update({word: min(n, most) for word, n in own.items()})
        neighbours.update({pair: min(n, most) for pair, n in pairs.items()})
    return words, neighbours


def count_all(folder):
    docs, pairs = (json.load(gzip.open(os.path.join(folder, f"{name}.json.gz"))) for name in ("docs", "pairs"))
    servers = {}
    for doc in docs:
        if doc[0]:
            servers.setdefault(doc[6], []).extend(doc[:6])
    tools = list(servers.values()) + [[pair[1]] for pair in pairs if pair[0] in ("label", "concept")]
    general = [text for pair in pairs if pair[0] == "gloss" for text in (pair[1], docs[pair[2]][2])]
    foreign = [pair[1] for pair in pairs if pair[0] in ("foreign", "word")]
    wanted = [pair[1] for pair in pairs if pair[0] == "word"]
    rare = lambda pairs, least: {" ".join(pair): n for pair, n in pairs.items() if n >= least}
    (world, neighbours), (other, other_pairs) = count(tools, 5), count([foreign], 10**9)
    counts = {"world": world, "neighbours": rare(neighbours, 8), "english": count([general], 10**9)[0], "other": other, "otherPairs": rare(other_pairs, 12), "listed": count([wanted], 1)[0]}
    with gzip.GzipFile(os.path.join(folder, "counts.json.gz"), "w", mtime=0) as file:
        file.write(json.dumps(counts, ensure_ascii=False, sort_keys=True).encode())


def build(counts, minilm, size, phrases):
    """`counts`: from counts.json.gz; `minilm`: the vocabulary of MiniLM in order. Returns `size` pieces, of which `phrases` are phrases."""
    world, english, other, listed = (Counter(counts[name]) for name in ("world", "english", "other", "listed"))
    order = {word: i for i, word in enumerate(minilm) if LATIN.match(word)}
    score = Counter()
    for word in set(world) | set(order) | set(english) | set(other) | set(listed):
        if len(word) == 1 or len(word) > 24:
            continue
        if word.isdigit():
            value = world[word] / 2
        elif LATIN.match(word):
            value = world[word] * 2 + english[word] * 0.4 + other[word] * 0.15 + (60000 / (order[word] + 400) if word in order else 0)
        else:
            value = world[word] * 2 + other[word] * 0.6
        score[word] = value + 50 * listed[word]
    singles = list("abcdefghijklmnopqrstuvwxyz0123456789")
    scripts = Counter()
    for word, n in (world + other).items():
        if not LATIN.match(word):
            scripts.update({c: n for c in set(word)})
    characters = [c for c, n in sorted(scripts.items(), key=lambda item: (-item[1], item[0])) if n >= 4 and c not in singles]
    pieces = dict.fromkeys(singles + ["##" + c for c in singles] + characters)
    pieces.update(dict.fromkeys("##" + c for c in characters if re.match(r"[\u0400-\u04ff\uac00-\ud7af\u30a0-\u30ff]", c)))
    endings = endings_of(world, english, other, set(order), [piece for piece in minilm if piece.startswith("##") and LATIN.match(piece[2:])])
    pieces.update(dict.fromkeys(endings))
    for word, _ in sorted(score.items(), key=lambda item: (-item[1], item[0])):
        if len(pieces) >= size - phrases:
            break
        pieces[word] = None
    total = sum(world.values())
    worth = {}
    for source, single, share in (("neighbours", world, 1), ("otherPairs", other, 0.4)):
        for phrase, n in counts[source].items():
            a, b = phrase.split(" ")
            if a not in pieces or b not in pieces or a in SMALL or b in SMALL or a.isdigit() or b.isdigit() or (len(a) == 1 and LATIN.match(a)):
                continue
            bond = math.log(n * total / (single[a] * single[b]))
            if bond > 2:
                worth[phrase] = max(worth.get(phrase, 0), n ** 0.75 * bond * share)
    chosen = sorted(worth, key=lambda phrase: (-worth[phrase], phrase))[:phrases]
    return list(pieces) + chosen


def endings_of(world, english, other, known, candidates, keep=2600):
    """The most frequent endings of words that are not in the vocabulary."""
    candidates, used = {ending[2:] for ending in candidates}, Counter()
    for word, n in (world + english + other).items():
        if word in known or not LATIN.match(word) or len(word) > 24:
            continue
        at = 0
        while at < len(word):
            end = next((e for e in range(len(word), at, -1) if (word[at:e] in known if at == 0 else word[at:e] in candidates)), at + 1)
            if at > 0:
                used[word[at:end]] += math.sqrt(n)
            at = end
    return ["##" + ending for ending, _ in sorted(used.items(), key=lambda item: (-item[1], item[0]))[:keep]]


if __name__ == "__main__":
    count_all(sys.argv[1])
