import { isStopWord, toStem } from '../../../text/words.ts'

/** English words whose forms share no stem: the base first. */
const FORMS =
  'become became|begin began begun|bring brought|build built|buy bought|catch caught|choose chose chosen|come came|' +
  'draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feel felt|fight fought|find found|' +
  'fly flew flown|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|' +
  'hear heard|hide hid hidden|hold held|keep kept|know knew known|lead led|leave left|lend lent|lose lost|make made|' +
  'mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|' +
  'sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown|sing sang sung|sink sank sunk|sit sat|' +
  'sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn|' +
  'swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|' +
  'understand understood|wake woke woken|wear wore worn|win won|write wrote written|child children|person people|' +
  'man men|woman women|foot feet|tooth teeth|mouse mice|life lives|wife wives|knife knives|leaf leaves|index indices|' +
  'bad worse worst|good better best'

const BASES: ReadonlyMap<string, string> = new Map(
  FORMS.split('|').flatMap((line) => {
    const [base = '', ...forms] = line.split(' ')
    return forms.map((form): [string, string] => [form, base])
  }),
)

/** The stems of the content words among a text's words, irregular English forms as their base: `bought` is found by `buy`. */
export const toIndexStems = (words: readonly string[]): string[] =>
  words.filter((word) => !isStopWord(word)).map((word) => toStem(BASES.get(word) ?? word))
