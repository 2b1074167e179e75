/** The words that the analyzer knows. English; lists and numbers are read in any language. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Verbs that ask for a piece of work when they open a sentence or a clause. */
export const WORK_VERBS = words(
  `
  add analyse analyze apply arrange assess audit benchmark book build buy calculate categorize change chart check
  cite classify clean collect combine compare compile compose compute configure convert count crawl create debug
  decide define delete deploy derive describe design detect determine develop diagnose discuss display document
  download draft draw edit elaborate email estimate evaluate examine execute explain explore export extract fetch
  figure file fill filter find fix forecast gather generate get give group hire identify illustrate implement import
  improve index inspect install integrate interview invest investigate invite label launch list load locate look make
  map measure merge migrate model monitor move name normalize notify obtain open optimise optimize order organise
  organize outline parse perform pick place plan play plot post predict prepare price prioritize produce profile
  propose prove provide publish pull purchase push query rank rate read recommend record redesign reduce refactor
  release remove rename rent repair replace report reproduce request research reserve resolve retrieve review revise
  rewrite run sample save scan schedule scrape search select send set share show simulate solve sort split store
  structure study submit suggest summarise summarize survey switch synthesise synthesize tabulate teach tell test
  track train transcribe transfer transform translate transpose update upload validate verify visualise visualize
  watch withdraw write`.trim(),
)

/** Of these, the ones that are nouns as often: behind "and" they count only with an object of their own. */
export const NOUN_VERBS = words(
  `
  access audit book change chart check count design display document download draft draw email estimate export file
  filter forecast group import index label launch list load look map measure model monitor move name order outline
  pick place plan play plot post price produce profile purchase push query rank rate record release rent repair
  report request research reserve review run sample scan schedule search set share show sort split store structure
  study survey switch test track train transfer update upload watch fix deploy read hire find use rename transform`.trim(),
)

/** Verbs that say how the answer should be, not what else to do. */
export const STYLE_VERBS = words(
  `
  answer assume avoid begin consider elaborate ensure expand exclude feel focus format highlight ignore imagine include justify keep
  limit mention note output present pretend remember respond return speak start state stay stick treat try use`.trim(),
)

/** Verbs that look at each of several things on its own. */
export const SURVEY_VERBS = words(
  `
  analyse analyze assess audit benchmark check compare crawl evaluate examine explore gather inspect interview
  investigate profile rate research review score scrape study summarise summarize survey test track translate verify`.trim(),
)

/** Verbs that put several results together. */
export const JOIN_VERBS = words(
  'aggregate combine compare consolidate contrast merge rank reconcile recommend summarise summarize synthesise synthesize',
)

export const REASONING_WORDS = words(
  `
  why prove proof derive justify diagnose debug trade-off tradeoff tradeoffs trade-offs design architect optimise
  optimize optimal optimum optimization strategy strategic root-cause hypothesis hypothesise hypothesize infer deduce
  reason reasoning evaluate critique argue argument implications feasibility predict causes cause`.trim(),
)

export const PARALLEL_WORDS = words(
  `
  each every both respectively independently separately simultaneously concurrently parallel several multiple various
  another additionally also individually apiece secondly lastly same`.trim(),
)

/** Words that say that one thing waits for another. */
export const SEQUENCE_WORDS = words(`then after afterwards until once subsequently thereafter depending following`)

/** Words that stand for what an earlier step made. */
export const REFERENCES = words(`it them this that these those result results output outputs outcome former latter`)

export const OUTPUT_WORDS = words(
  `
  report app application api article blog book brief chart code dashboard database dataset deck diagram document
  documentation email essay function game guide infographic library manual module notebook outline paper pipeline
  plan poem post presentation program proposal prototype roadmap schema script service site slides specification
  spreadsheet story suite summary table tests tool tutorial website whitepaper workflow worksheet`.trim(),
)

export const CONSTRAINT_WORDS = words(
  `
  must only exactly least most maximum minimum without within under below above except never always should format
  json csv xml yaml markdown html limit fewer less more no not strictly required requirement requirements ensure avoid
  include exclude concise`.trim(),
)

export const DOMAIN_WORDS = words(
  `
  legal law lawsuit contract compliance gdpr hipaa regulation regulatory court liability patent medical clinical
  diagnosis patient drug dosage disease treatment health finance financial investment portfolio tax audit accounting
  revenue loan mortgage securities security vulnerability vulnerabilities exploit encryption authentication
  cryptography malware scientific physics chemistry biology genome molecular aerospace nuclear engineering`.trim(),
)

/** Classes of tools that a task seems to call for, each with the words that give it away. */
export const TOOL_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  web: words('web internet online website websites url google news search browse latest today current api'),
  code: words('code repository repo function class bug compile refactor typescript javascript python rust java script'),
  data: words('csv sql database dataset spreadsheet table query dataframe json excel records'),
  file: words('file files folder folders directory pdf document documents path readme'),
  comms: words('email mail slack message sms notify calendar meeting invite'),
  math: words('calculate compute equation integral derivative probability statistics sum average percentage'),
  deploy: words('deploy deployment docker kubernetes server cloud release rollout pipeline ci'),
  browser: words('browser click screenshot page form login'),
}

/** Words that leave something open, and the question that each one raises. */
export const AMBIGUOUS_WORDS: Readonly<Record<string, string>> = {
  something: 'What exactly is meant by "something"?',
  somehow: 'How should it be done? "Somehow" leaves the way open.',
  anything: 'What does "anything" include, and what not?',
  stuff: 'What does "stuff" stand for?',
  things: 'Which things are meant?',
  etc: 'What else belongs to the list that ends in "etc."?',
  best: 'Best by which measure?',
  better: 'Better by which measure, and than what?',
  good: 'What makes it good enough?',
  nice: 'What would make it nice?',
  appropriate: 'Who decides what is appropriate, and by which rule?',
  suitable: 'Suitable for what?',
  interesting: 'Interesting to whom?',
  relevant: 'Relevant to what?',
  explore: 'What should the exploration find out, and when is it enough?',
  improve: 'Which measure should improve, and by how much?',
  optimise: 'Which measure should be optimised?',
  optimize: 'Which measure should be optimized?',
  some: 'How many are "some"?',
  several: 'How many are "several"?',
  various: 'Which ones does "various" include?',
  maybe: 'Is the part behind "maybe" wanted or not?',
  whatever: 'Are there limits to "whatever"?',
  soon: 'By when exactly?',
  recent: 'How recent?',
  modern: 'What counts as modern?',
  fast: 'How fast is fast enough?',
  cheap: 'How cheap is cheap enough?',
}

export const NUMBER_WORDS: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  dozen: 12,
}

/** Ordinals that number the parts of a request. */
export const ORDINALS: Readonly<Record<string, number>> = {
  first: 1,
  firstly: 1,
  second: 2,
  secondly: 2,
  third: 3,
  thirdly: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
}

/** Words before which one thing is made of several: a series behind them is one part. */
export const RELATION_WORDS = words(
  `
  between lcm gcd hcf common multiple divisor similarity difference ratio sum product mean average median coefficients
  sides lengths vector vectors points list dimensions combination relationship correlation distance versus vs
  compatibility winner game match including like such dataset data integers hand cards trait`.trim(),
)

/** What may stand before the verb of a request without changing it. */
export const OPENERS = words(
  `
  please kindly also then first firstly second secondly third thirdly fourth next now finally lastly last afterwards
  additionally moreover furthermore and but so plus just simply ok okay hi hello hey well great again later`.trim(),
)

export const DETERMINERS = words(
  `
  the a an all it them its each every their my this these those his her our your both any some if whether how what
  which who when where why for to me us`.trim(),
)

export const QUESTION_WORDS = words('what which who whom whose when where why how')
export const AUXILIARIES = words('is are was were do does did has have had can could will would should may might')
export const TOTAL_WORDS = words(
  'total altogether combined sum average overall together difference number minimum maximum',
)
