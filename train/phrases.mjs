// Phrases of user queries, written for this project: openings, closings and synonyms.

const OPENINGS =
  `can you @|could you please @|please @|I want to @|I need to @|I would like to @|help me @|how do I @|how can I @|is there a way to @|is there a tool to @
what is the best way to @|I'm trying to @|we have to @|show me how to @|let's @|hey, @|quickly @|I'd love to @|my boss wants me to @|go ahead and @|would it be possible to @
tool that can @|something to @|use a tool to @|find a tool to @|now @|first @|then @|I have to @ today|@ for me|@ for my team|@ please|@ as soon as possible|@ right now
@ and tell me the result|@ for this project|@ for our customer|@ before the meeting|@ so that I can check it|I was asked to @|any chance you can @|what do I call to @|@|@|@|@`.split(
    /[|\n]/u,
  );

const QUESTIONS =
  `what are the @|what is the @|what's the @|show me the @|show me all @|give me the @|tell me the @|which @ are there|do we have any @|where can I see the @|list the @|look at the @
I'm looking for @|I need information about @|any news on the @|let me see the @|get me the @|are there any @|details of the @|what do you know about the @|@|@`.split(
    /[|\n]/u,
  );

const LOOKING = new Set(
  "get list fetch retrieve show search find read describe view query lookup return display".split(" "),
);
const SMALL = new Set(
  "a an the of for to in on by with from and or as at is are be this that these those it its your you specified given specific one all any new existing using via based".split(
    " ",
  ),
);

/** "Gets the list" → "get the list". */
export function toImperative(sentence, verbs) {
  const match = /^([A-Za-z]+)(\s[\s\S]*)$/u.exec(sentence.trim());
  if (!match) return undefined;
  const word = match[1].toLowerCase();
  const candidates = [
    word,
    word.replace(/ies$/u, "y"),
    word.replace(/(?<=ss|ch|sh|x|z)es$/u, ""),
    word.replace(/s$/u, ""),
    word.replace(/ing$/u, ""),
    word.replace(/ing$/u, "e"),
  ];
  const verb =
    candidates.slice(word.endsWith("s") ? 1 : 0).find((candidate) => verbs.has(candidate)) ??
    (verbs.has(word) ? word : undefined);
  return verb ? { verb, rest: match[2].trim() } : undefined;
}

export function ask({ verb, rest }, random) {
  const clause = rest
    .replace(/[.!?。].*$/su, "")
    .split(/\s(?:which|that|including|such as|where|so that|if)\s|[,;:(]/u)[0]
    .trim();
  const short = clause.split(" ").slice(0, 14).join(" ");
  if (LOOKING.has(verb) && random() < 0.5) {
    const object = short.replace(
      /^(?:a |an |the |all |list of |details (?:of|about) |information (?:on|about) )+/iu,
      "",
    );
    return pick(QUESTIONS, random).replace("@", object);
  }
  return pick(OPENINGS, random).replace("@", `${verb} ${short}`);
}

export const pick = (list, random) => list[Math.floor(random() * list.length)];

/** Removes some words and replaces others with synonyms. */
export function reword(text, { twins, random, exchange = 0.2, drop = 0.06 }) {
  return text
    .split(" ")
    .flatMap((word) => {
      const key = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
      const likes = twins.get(key) ?? (key.endsWith("s") ? twins.get(key.slice(0, -1)) : undefined);
      if (likes && random() < exchange) return [pick(likes, random)];
      return random() < drop ? [] : [word];
    })
    .join(" ");
}

/** Two to five content words of the text, in their order. */
export function keywords(text, random) {
  const words = text.split(/[^\p{L}\p{N}'-]+/u).filter((word) => word.length > 2 && !SMALL.has(word.toLowerCase()));
  if (words.length < 3) return undefined;
  const wanted = 2 + Math.floor(random() * 4);
  return (
    words
      .filter(() => random() < wanted / words.length)
      .slice(0, 6)
      .join(" ") || undefined
  );
}
