/** The words that the analyzer knows, each looked up once. English; lists and numbers are read in any language. */

/** What a word says about a task, as bits: a word may say several things. */
export const SIGN = {
  reasoning: 1,
  parallel: 2,
  sequence: 4,
  /** A thing that is made in hours: an email, a function. */
  output: 8,
  /** A thing that is made in days or weeks: a shop, a compiler, a thesis. */
  product: 16,
  constraint: 32,
  domain: 64,
  /** "whole", "every": the work goes over much. */
  scope: 128,
  ambiguous: 256,
  web: 512,
  code: 1024,
  data: 2048,
  file: 4096,
  comms: 8192,
  math: 16384,
  deploy: 32768,
  browser: 65536,
} as const
export const TOOL_SIGNS = [SIGN.web, SIGN.code, SIGN.data, SIGN.file, SIGN.comms, SIGN.math, SIGN.deploy, SIGN.browser]

const WORDS: Readonly<Record<Exclude<keyof typeof SIGN, 'ambiguous'>, string>> = {
  reasoning: `why prove proof derive justify diagnose debug trade-off tradeoff tradeoffs trade-offs design architect architecture
    optimise optimize optimal optimum optimization strategy strategic root-cause hypothesis hypothesise hypothesize infer
    deduce reason reasoning evaluate critique argue argument implications feasibility predict forecast causes cause
    theorem race leak bottleneck concurrency`,
  parallel: `each every both respectively independently separately simultaneously concurrently parallel apiece secondly lastly`,
  sequence: `then after afterwards until once subsequently thereafter depending following`,
  output: `report app application api article blog book brief chart code dashboard database dataset deck diagram document
    documentation email essay function game guide infographic library manual module notebook outline paper pipeline plan
    poem post presentation program proposal prototype roadmap schema script service site slides specification
    spreadsheet story suite summary table tests tool tutorial website whitepaper workflow worksheet contract budget
    schedule campaign course curriculum agenda`,
  product: `app application shop store platform system website portal marketplace game compiler interpreter engine backend
    frontend server architecture infrastructure pipeline framework library product novel book thesis dissertation
    handbook documentary course curriculum strategy campaign conference wedding migration integration encryption
    authentication oauth login payment checkout parser scheduler protocol operating e-commerce crm erp saas clone
    editor bot crawler database schema programme project tour festival company startup`,
  constraint: `must only exactly least most maximum minimum without within under below above except never always should format
    json csv xml yaml markdown html limit fewer less more no not strictly required requirement requirements ensure avoid
    include exclude concise deadline downtime`,
  domain: `legal law lawsuit contract compliance gdpr hipaa regulation regulatory court liability patent medical clinical
    diagnosis patient drug dosage disease treatment health finance financial investment portfolio tax audit accounting
    revenue loan mortgage securities security vulnerability vulnerabilities exploit encryption authentication
    cryptography malware scientific physics chemistry biology genome molecular aerospace nuclear engineering oauth kernel
    compiler statistics statistical marketing architecture`,
  scope: `whole entire all every everything complete completely full fully throughout codebase repository repositories
    company-wide end-to-end across entirely scratch comprehensive detailed thorough in-depth exhaustive production`,
  web: 'web internet online website websites url google news search browse latest today current api',
  code: `code repository repo codebase function class bug compile refactor typescript javascript python rust java script app
    parser compiler tests module api`,
  data: 'csv sql database dataset spreadsheet table query dataframe json excel records sales figures',
  file: 'file files folder folders directory pdf document documents path readme',
  comms: 'email mail slack message sms notify calendar meeting invite',
  math: 'calculate compute equation integral derivative probability statistics sum average percentage',
  deploy: 'deploy deployment docker kubernetes server cloud release rollout pipeline ci staging production',
  browser: 'browser click screenshot form login page',
}

/** How much work an instruction with this verb is as a rule; 1 for what is not listed. */
const HEAVY = `architect audit automate build debug deploy design develop diagnose implement integrate investigate migrate
  modernise modernize optimise optimize organise organize port prototype prove rebuild redesign refactor research rewrite
  rework train transform`
const LIGHT = `add answer ask book buy calculate call change check choose close compute convert copy count cut define delete describe
  determine display estimate explain fetch find identify log perform predict provide rate
  get give google list locate look mark mention move name open order pick place play print put quote read remember remove
  rename run say search select send set share show sort spell start state stop sum tell translate turn watch weigh`

/** Words that leave something open, and the question that each one raises. */
export const AMBIGUOUS_WORDS: ReadonlyMap<string, string> = new Map([
  ['something', 'What exactly is meant by "something"?'],
  ['somehow', 'How should it be done? "Somehow" leaves the way open.'],
  ['anything', 'What does "anything" include, and what not?'],
  ['stuff', 'What does "stuff" stand for?'],
  ['things', 'Which things are meant?'],
  ['etc', 'What else belongs to the list that ends in "etc."?'],
  ['best', 'Best by which measure?'],
  ['better', 'Better by which measure, and than what?'],
  ['good', 'What makes it good enough?'],
  ['nice', 'What would make it nice?'],
  ['appropriate', 'Who decides what is appropriate, and by which rule?'],
  ['suitable', 'Suitable for what?'],
  ['interesting', 'Interesting to whom?'],
  ['relevant', 'Relevant to what?'],
  ['explore', 'What should the exploration find out, and when is it enough?'],
  ['improve', 'Which measure should improve, and by how much?'],
  ['optimise', 'Which measure should be optimised?'],
  ['optimize', 'Which measure should be optimized?'],
  ['some', 'How many are "some"?'],
  ['several', 'How many are "several"?'],
  ['various', 'Which ones does "various" include?'],
  ['maybe', 'Is the part behind "maybe" wanted or not?'],
  ['whatever', 'Are there limits to "whatever"?'],
  ['soon', 'By when exactly?'],
  ['recent', 'How recent?'],
  ['modern', 'What counts as modern?'],
  ['fast', 'How fast is fast enough?'],
  ['cheap', 'How cheap is cheap enough?'],
])

let signs: Map<string, number> | undefined
let efforts: Map<string, number> | undefined

/** What a lower-case word says; 0 for most. The table is made at the first call. */
export function signsOf(word: string): number {
  if (signs === undefined) {
    signs = new Map([...AMBIGUOUS_WORDS.keys()].map((each) => [each, SIGN.ambiguous]))
    for (const [sign, text] of Object.entries(WORDS) as [keyof typeof WORDS, string][]) {
      for (const each of text.trim().split(/\s+/)) signs.set(each, (signs.get(each) ?? 0) | SIGN[sign])
    }
  }
  return signs.get(word) ?? 0
}

/** How much work a verb asks for: 3 for building, 1 for writing, .2 for looking something up. */
export function effortOf(verb: string): number {
  efforts ??= new Map([
    ...HEAVY.trim()
      .split(/\s+/)
      .map((each) => [each, 3] as const),
    ...LIGHT.trim()
      .split(/\s+/)
      .map((each) => [each, 0.2] as const),
  ])
  return efforts.get(verb) ?? 1
}
