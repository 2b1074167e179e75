import { toSentences } from '../../../text/index.ts'

/** What a sentence says of whom: at one time there is one value of an attribute. */
export interface Fact {
  /** Lower case, without article. */
  subject: string
  attribute: string
  value: string
}

interface Pattern {
  readonly verb: RegExp
  readonly attribute: string
  /** Only for subjects that name one thing by what it is: `the deadline`, `my editor`, `Anna's address`. */
  readonly definite?: boolean
}

/** Longest first, so that `moved to` is not read as `moved`. */
const PATTERNS: readonly Pattern[] = [
  { verb: /^(?:is|are|was) (?:now )?(?:called|named)$/, attribute: 'name' },
  { verb: /^(?:now )?(?:lives?|resides?|is based|is living) in$/, attribute: 'home' },
  { verb: /^(?:has |have )?(?:moved|relocated) to$/, attribute: 'home' },
  { verb: /^(?:now )?(?:works?|is working|started working) (?:at|for)$/, attribute: 'employer' },
  { verb: /^(?:now )?(?:works?|is working|started working) as$/, attribute: 'job' },
  { verb: /^(?:now )?(?:uses?|is using|are using)$/, attribute: 'uses' },
  { verb: /^(?:has |have )?(?:switched|migrated) to$/, attribute: 'uses' },
  { verb: /^(?:now )?prefers?$/, attribute: 'prefers' },
  { verb: /^(?:has |have )?decided (?:on|to use)$/, attribute: 'decided' },
  { verb: /^(?:has )?(?:changed|been changed|been moved|been set) to$/, attribute: 'is' },
  { verb: /^(?:is|are|was|were) (?:now )?(?:set to)$/, attribute: 'is' },
  { verb: /^(?:is|are) now$/, attribute: 'is' },
  { verb: /^(?:is|are)$/, attribute: 'is', definite: true },
]
const LONGEST_VERB = 3
const LONGEST_SUBJECT = 6
const LONGEST_VALUE = 16
const LONGEST_SENTENCE = 400

/**
 * The facts that a text states in plain English sentences such as "X lives in Y", "my X is called Y", "the X is Y".
 *
 * Only what can have one value at a time counts: "Anna is tall" and "Anna is a doctor" do not contradict each other, so
 * a bare `is` needs a subject that names one thing (`the deadline`, `our database`, `Anna's address`).
 */
export function factsOf(text: string): Fact[] {
  const facts: Fact[] = []
  for (const sentence of statementsOf(text)) {
    const fact = sentence.length > LONGEST_SENTENCE ? undefined : factOf(sentence)
    if (fact !== undefined) facts.push(fact)
  }
  return facts
}

/** The statements of a text, without their end marks: its sentences, cut at semicolons. */
export const statementsOf = (text: string): string[] =>
  toSentences(text)
    .flatMap((sentence) => sentence.split(';'))
    .map((statement) => statement.replace(/[.!?\s]{1,9}$/, '').trim())
    .filter((statement) => statement !== '')

function factOf(sentence: string): Fact | undefined {
  const words = sentence
    .replace(/^(?:(?:please )?remember(?: that)?|note that|actually|also|and|but|now)[,:]? /iu, '')
    .split(/\s+/u)
  for (let start = 1; start <= Math.min(LONGEST_SUBJECT, words.length - 2); start++) {
    for (let length = Math.min(LONGEST_VERB, words.length - start - 1); length >= 1; length--) {
      const verb = words
        .slice(start, start + length)
        .join(' ')
        .toLowerCase()
      const pattern = PATTERNS.find((candidate) => candidate.verb.test(verb))
      if (pattern === undefined) continue
      const subject = words.slice(0, start)
      const value = words.slice(start + length)
      if (value.length > LONGEST_VALUE || (pattern.definite === true && !isDefinite(subject))) return undefined
      return {
        subject: plain(subject.filter((word) => !/^(?:the|an?)$/iu.test(word)).join(' ')).replace(
          /^(?:i|we)$/u,
          'user',
        ),
        attribute: pattern.attribute,
        value: plain(value.join(' ')),
      }
    }
  }
  return undefined
}

const isDefinite = (subject: readonly string[]): boolean =>
  (/^(?:the|my|our|your|his|her|their|its)$/iu.test(subject[0] ?? '') && subject.length > 1) ||
  subject.some((word, index) => index < subject.length - 1 && /['’]s$/u.test(word))

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/["'“”‘’`,.:()]/gu, '')
    .trim()
