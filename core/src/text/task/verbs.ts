/** Verbs that open a request, by what they do with the results of other requests. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** What a request does: finds something out, judges or joins what was found, makes a new thing, or changes something. */
export type VerbKind = 'find' | 'join' | 'make' | 'act'

const FIND = words(`
  analyse analyze answer ask assess audit benchmark browse calculate check cite classify collect compute count crawl define describe
  detect determine diagnose discover discuss estimate evaluate examine explain explore extract fetch figure find forecast
  gather get give google group identify infer inspect interpret interview investigate know learn list locate look map measure
  model monitor name observe open parse poll predict price probe profile prove provide query quote rate read research
  resolve retrieve review say scan score scrape search show simulate solve state study survey tabulate teach tell trace
  track understand verify watch`)
const JOIN = words(`
  advise aggregate choose combine compare conclude consolidate contrast decide judge justify merge pick present
  prioritise prioritize rank recommend reconcile report select sum summarise summarize suggest synthesise synthesize
  translate transcribe visualise visualize vote weigh plot chart`)
const MAKE = words(`
  build compile compose create derive design develop document draft draw generate illustrate implement make outline
  plan prepare produce program propose prototype record redesign sketch write architect`)
const ACT = words(`
  add adapt adjust apply arrange book buy call change clean configure convert copy cut delete deploy download edit email enter
  execute export extend fill filter fix format hire import improve index install integrate invest invite label launch
  load mail migrate modernise modernize modify move normalise normalize notify obtain optimise optimize order organise
  organize pay perform place play port post publish pull purchase push rebuild reduce refactor rehearse release remove rename
  rent repair replace reproduce request reserve revise rewrite rotate run sample save schedule send set share sort
  split store structure submit switch test train transfer transform transpose tune update upgrade upload use validate
  withdraw`)

const KINDS: ReadonlyMap<string, VerbKind> = new Map([
  ...FIND.map((verb) => [verb, 'find'] as const),
  ...JOIN.map((verb) => [verb, 'join'] as const),
  ...MAKE.map((verb) => [verb, 'make'] as const),
  ...ACT.map((verb) => [verb, 'act'] as const),
])

/** What kind of request a lower-case verb opens; `undefined` for any other word. */
export const kindOf = (verb: string): VerbKind | undefined => KINDS.get(verb)

/** Verbs that set things side by side: the work on one of them is its description. */
const COMPARING: ReadonlySet<string> = new Set(['compare', 'contrast', 'rank', 'weigh'])
export const isComparing = (verb: string): boolean => COMPARING.has(verb)

/** Words before the verb of a request that do not change it. */
export const LEADS: ReadonlySet<string> = new Set(
  words(`
    please kindly then next first firstly second secondly third thirdly fourth finally lastly last also now afterwards
    additionally moreover furthermore and but so just ok okay hi hello hey`),
)
export const QUESTION_WORDS: ReadonlySet<string> = new Set(words('what which who whom whose when where why how'))
export const AUXILIARIES: ReadonlySet<string> = new Set(
  words('is are was were do does did can could will would should may might has have had'),
)

/** A sentence that says how to answer, not what else to do. */
export const BOUND =
  /^(?:please |also |and )?(?:use|keep|answer (?:in|with|as|only|briefly)|respond|reply|be|do not|don't|never|always|avoid|make sure|ensure|only|format|return|cite|limit|note|remember|assume|include|exclude|ignore|pretend|imagine|consider|suppose|act as|take on|start (?:with|by)|begin|focus|stay|try|speak|explain (?:your|the) (?:answer|reasoning|steps?|choice)|(?:show|explain|justify|describe) your|justify|give (?:your )?reasons?|(?:give|provide|include|add|list) (?:\S+ ){0,3}examples?|write (?:it |them |everything )?in|let me know|thank)\b/i
