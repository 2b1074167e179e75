import type { Claim } from '../../../contracts/stages/claim.ts'

/** A kind of work that an answer may say was done. */
export interface Deed {
  readonly kind: Claim['kind']
  /** In the name or arguments of a call that can have done it; absent: any call that acts. */
  readonly by?: RegExp
  /** Only a call that runs programs can have done it. */
  readonly runs?: boolean
  /** A call that looks is enough. */
  readonly looks?: boolean
  /** Says something of files only where it names one, or a thing that is kept in files. */
  readonly needsObject?: boolean
}

const FILE: Deed = { kind: 'file', needsObject: true }
const READ: Deed = { kind: 'file', looks: true, needsObject: true }
const RUN: Deed = { kind: 'command', runs: true }
const ACT: Deed = { kind: 'command' }
const REQUEST: Deed = { kind: 'request' }
const FETCH: Deed = { kind: 'request', looks: true, needsObject: true }
const SEND: Deed = {
  kind: 'message',
  by: /\b(?:send|sent|e?mails?|gmail|outlook|smtp|sms|text|messages?|post|put|notify|notification|slack|teams|discord|telegram|whatsapp|chat|reply|forward|invite|comment|tweet|status|publish|contact|remind|reminder|webhook|curl|http|report|page|alert|ticket|issue|event|call|phone|ask)\b/,
}
const command = (by: RegExp): Deed => ({ kind: 'command', runs: true, by })

const GROUPS: readonly (readonly [deed: Deed, base: string, past: string])[] = [
  [
    FILE,
    'create write save add update modify edit delete remove rename move append overwrite replace insert store export generate put place fix correct change refactor split adjust convert implement patch copy extract improve resolve rewrite restructure bump extend draw make sort comment document reformat translate deduplicate clean repair rework apply translate define fill attach record note remember schedule',
    'created written wrote saved added updated modified edited deleted removed renamed moved appended overwritten overwrote replaced inserted stored exported generated put placed fixed corrected changed refactored split adjusted converted implemented patched copied extracted improved resolved rewritten rewrote restructured bumped extended drew drawn made sorted commented documented reformatted repaired reworked remembered recorded attached filled',
  ],
  [READ, 'read open inspect scan', 'read opened inspected scanned'],
  [RUN, 'run execute launch benchmark profile', 'ran run executed launched benchmarked profiled'],
  [
    command(
      /\b(?:install|add|pip3?|npm|yarn|pnpm|bun|apt|brew|cargo|gem|poetry|uv|conda|ci|get|setup|upgrade|update|i)\b/,
    ),
    'install upgrade',
    'installed upgraded',
  ],
  [command(/\bcommit\b/), 'commit', 'committed'],
  [command(/\bpush\b/), 'push', 'pushed'],
  [command(/\b(?:merge|pull|rebase)\b/), 'merge', 'merged'],
  [command(/\btag\b|\brelease\b/), 'tag', 'tagged'],
  [command(/\bclone\b/), 'clone', 'cloned'],
  [
    command(/\b(?:fmt|format|prettier|black|biome|gofmt|rustfmt|fix|ruff|eslint|lint)\b|clang-format/),
    'format',
    'formatted',
  ],
  [
    ACT,
    'start restart stop uninstall deploy publish release migrate seed drop clear reset roll build activate configure enable disable unzip shut kill boot provision rebuild set flush',
    'started restarted stopped uninstalled deployed published released migrated seeded dropped cleared reset rebuilt activated configured enabled disabled unzipped killed provisioned flushed applied set',
  ],
  [
    REQUEST,
    'book cancel refund order transfer upload submit open close reserve pay buy purchase subscribe register call trigger approve assign unsubscribe renew charge',
    'booked cancelled canceled refunded ordered transferred uploaded submitted closed reserved paid bought purchased subscribed registered called triggered scheduled assigned renewed charged',
  ],
  [
    FETCH,
    'fetch visit browse download search google check look',
    'fetched visited browsed downloaded searched googled checked',
  ],
  [
    SEND,
    'send email mail post notify forward message text invite ask tell reply respond comment tweet report inform remind contact',
    'sent emailed e-mailed mailed posted notified forwarded messaged texted invited asked replied tweeted informed reminded contacted reported',
  ],
]

/** What a past form says was done. */
export const DEEDS: ReadonlyMap<string, Deed> = new Map(
  GROUPS.flatMap(([deed, , past]) => past.split(' ').map((form): [string, Deed] => [form, deed])),
)

/** Things that live behind other tools than those for files. */
const ELSEWHERE: readonly (readonly [nouns: ReadonlySet<string>, by?: RegExp])[] = [
  [new Set(['pull', 'pr', 'prs']), /\b(?:prs?|pulls?|merge|gh|hub|glab|api|curl)\b/],
  [
    new Set(
      'ticket tickets issue issues event meeting appointment calendar reservation booking account invoice subscription case crm customer channel'.split(
        ' ',
      ),
    ),
  ],
]
const MAKES: ReadonlySet<string> = new Set('created opened added made filed updated inserted put closed'.split(' '))
const NEAR = 8

/** What the verb at a place of a sentence says was done: to open a file is another thing than to open a ticket. */
export function deedOf(words: readonly string[], at: number): Deed | undefined {
  const deed = DEEDS.get(words[at] ?? '')
  if (deed?.kind !== 'file' || !MAKES.has(words[at] ?? '')) return deed
  const near = words.slice(Math.max(0, at - NEAR), at + NEAR)
  const found = ELSEWHERE.find(([nouns]) => near.some((word) => nouns.has(word)))
  if (found === undefined) return deed
  const [, by] = found
  return by === undefined ? REQUEST : { ...REQUEST, by }
}

/** What a verb asks for, in the form in which a task has it. */
export const ACTIONS: ReadonlyMap<string, Deed> = new Map(
  GROUPS.flatMap(([deed, base]) => base.split(' ').map((form): [string, Deed] => [form, deed])),
)

/** Things that are kept in files or behind tools: a deed to one of them is more than a turn of phrase. */
export const OBJECTS: ReadonlySet<string> = new Set(
  (
    'file files folder folders directory directories repository repo branch database record records ticket tickets table tables package packages dependency dependencies ' +
    'config configuration disk workspace project code codebase script module modules import imports function functions class test tests document documents report ' +
    'calendar entry entries issue issues bug bugs typo typos workflow pipeline page site website request pr logs log source web internet online api server version licence license ' +
    'readme changelog schema migration snapshot comments docs documentation crm address backup csv pdf spreadsheet notes note image images data dataset endpoint'
  ).split(' '),
)
