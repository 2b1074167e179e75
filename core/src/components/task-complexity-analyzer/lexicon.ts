/** The words that the analyzer knows. English; lists and numbers are read in any language. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** What asks for thinking. */
export const REASONING = words(`
  why prove proof derive justify diagnose debug trade-off tradeoff tradeoffs trade-offs design architect
  architecture optimise optimize optimal optimum optimization strategy strategic root-cause hypothesis
  hypothesise hypothesize infer deduce reason reasoning evaluate critique argue argument implications
  feasibility predict forecast causes cause theorem race leak bottleneck concurrency`)
/** Things that are made in hours: an email, a function. */
export const OUTPUT = words(`
  report app application api article blog book brief chart code dashboard database dataset deck diagram
  document documentation email essay function game guide infographic library manual module notebook outline
  paper pipeline plan poem post presentation program proposal prototype roadmap schema script service site
  slides specification spreadsheet story suite summary table tests tool tutorial website whitepaper workflow
  worksheet contract budget schedule campaign course curriculum agenda`)
/** Things that are made in days or weeks: a shop, a compiler, a thesis. */
export const PRODUCT = words(`
  app application shop store platform system website portal marketplace game compiler interpreter engine
  backend frontend server architecture infrastructure pipeline framework library product novel book thesis
  dissertation handbook documentary course curriculum strategy campaign conference wedding migration
  integration encryption authentication oauth login payment checkout parser scheduler protocol operating
  e-commerce crm erp saas clone editor bot crawler database schema programme project tour festival company
  startup`)
export const CONSTRAINT = words(`
  must only exactly least most maximum minimum without within under below above except never always should
  format json csv xml yaml markdown html limit fewer less more no not strictly required requirement
  requirements ensure avoid include exclude concise deadline downtime`)
/** Specialist fields. */
export const DOMAIN = words(`
  legal law lawsuit contract compliance gdpr hipaa regulation regulatory court liability patent medical
  clinical diagnosis patient drug dosage disease treatment health finance financial investment portfolio tax
  audit accounting revenue loan mortgage securities security vulnerability vulnerabilities exploit encryption
  authentication cryptography malware scientific physics chemistry biology genome molecular aerospace nuclear
  engineering oauth kernel compiler statistics statistical marketing architecture`)
/** "whole", "every": the work goes over much. */
export const SCOPE = words(`
  whole entire all every everything complete completely full fully throughout codebase repository repositories
  company-wide end-to-end across entirely scratch comprehensive detailed thorough in-depth exhaustive
  production`)
/** One list for each kind of tool: web, code, data, files, messages, mathematics, deployment, browser. */
export const TOOL_KINDS: readonly ReadonlySet<string>[] = [
  'web internet online website websites url google news search browse latest today current api',
  `code repository repo codebase function class bug compile refactor typescript javascript python rust java
    script app parser compiler tests module api`,
  'csv sql database dataset spreadsheet table query dataframe json excel records sales figures',
  'file files folder folders directory pdf document documents path readme',
  'email mail slack message sms notify calendar meeting invite',
  'calculate compute equation integral derivative probability statistics sum average percentage',
  'deploy deployment docker kubernetes server cloud release rollout pipeline ci staging production',
  'browser click screenshot form login page',
].map(words)

/** How much work an instruction with this verb is as a rule; 1 for what is in neither list. */
const HEAVY = words(`
  architect audit automate build debug deploy design develop diagnose implement integrate investigate migrate
  modernise modernize optimise optimize organise organize port prototype prove rebuild redesign refactor
  research rewrite rework train transform`)
const LIGHT = words(`
  add answer ask book buy calculate call change check choose close compute convert copy count cut define delete
  describe determine display estimate explain fetch find identify log perform predict provide rate get give
  google list locate look mark mention move name open order pick place play print put quote read remember
  remove rename run say search select send set share show sort spell start state stop sum tell translate turn
  watch weigh`)

/** How much work a verb asks for: 3 for building, 1 for writing, .2 for looking something up. */
export const effortOf = (verb: string): number => (HEAVY.has(verb) ? 3 : LIGHT.has(verb) ? 0.2 : 1)

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
