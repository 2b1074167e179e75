import { isStopWord, toWords } from '../../text/index.ts'

/** One message of a run, in order. */
export interface TraceMessage {
  agent: string
  content: string
  /** `observed` is what tools and the world answered; `asked` comes from outside. Found out from the text when absent. */
  kind?: 'said' | 'observed' | 'asked' | undefined
  /** The agent gave work to others and did none itself. Found out from the shape of the conversation when absent. */
  coordinates?: boolean | undefined
}

/** What a message of a failed run gives to suspect, each from 0 to 1. */
export interface StepSignals {
  /** Builds on an assumption, a placeholder or made-up data. */
  assumes: number
  /** The next observation is a failure. */
  failed: number
  /** The first contribution of anybody who works. */
  first: number
  /** Claims, without asking and without an action, while the last observation failed or there was none. */
  unsupported: number
  /** Share of the final answer's words that stand here first. */
  introduces: number
  /** Where in the run it stands. */
  lateness: number
  /** Sets the task out. */
  opening: number
  /** Only ends the conversation. */
  closing: number
  /** Gives work to others. */
  coordinates: number
}

/** A message that somebody is responsible for. */
export interface Candidate {
  step: number
  agent: string
  length: number
  /** Holds a program that was run. */
  isRun: boolean
  signals: StepSignals
}

const OBSERVED =
  /^\s{0,20}(?:exit ?code\b|there is no code|the script ran|no code block|traceback|error:|\{"?error|command output|tool result)/i
const NOTHING_RUN = /^\s{0,20}(?:there is no code|no code block)/i
const FAILURE =
  /\b(?:traceback|execution failed|exception|error|not found|no such file|failed|denied|forbidden|timed out|unable to|cannot|invalid)\b/i
const ASSUMES =
  /\b(?:assum\w{1,8}|placeholders?|hypothetical\w{0,2}|for example|example (?:video|data|value)|simulat\w{1,6}|samples?|suppose|let.s say|typically|known (?:for|to)|common(?:ly)?|general(?:ly)? knowledge|should be|likely|probably|dummy|mock|estimat\w{1,4})\b/i
const ASKS = /\?\s{0,20}$|\bplease (?:provide|share|confirm|let|report)\b/i
const ACTS = /```|\bI (?:typed|clicked|scrolled|opened|ran|called)\b/
const COORDINATOR = /orchestrat|coordinat|supervis|dispatch|^(?:chat|group).{0,10}manager|^(?:lead|planner)\b/i
const FINAL = /final answer:?\s{0,5}(.{1,400})/i
const BOLD = /\*\*([^*]{1,200})\*\*/g
const CLOSING_CHARS = 60
const OBSERVATION_CHARS = 3_000
const WORDS = 1_500
/** A single agent with so much of the turns speaks between all others. */
const HUB_SHARE = 0.7
const HUB_MESSAGES = 5

/** Whom and what there is to suspect, in order. Linear in the text. */
export function toCandidates(question: string, history: readonly TraceMessage[]): Candidate[] {
  const kinds = toKinds(question, history)
  const said = history.flatMap(({ agent }, index) => (kinds[index] === 'said' ? [agent] : []))
  const hub = findHub(history, said)
  const wanted = finalWords(question, history, kinds)
  const anybodyLooked = kinds.includes('observed')
  const seen = new Set<string>()
  const candidates: Candidate[] = []
  let last: 'failed' | 'fine' | 'none' = 'none'
  let hasWorked = false
  history.forEach(({ agent, content }, step) => {
    const words = new Set(toWords(content).slice(0, WORDS))
    if (kinds[step] === 'said') {
      const isHub = agent === hub
      const next = kinds[step + 1] === 'observed' ? (history[step + 1]?.content ?? '') : undefined
      const isShort = content.trim().length < CLOSING_CHARS
      const isOpening = candidates.length === 0
      const isFirst = !hasWorked && !isHub && !isShort && !(isOpening && hub === undefined)
      if (isFirst) hasWorked = true
      const tail = content.slice(-200)
      const fresh = [...wanted].filter((word) => words.has(word) && !seen.has(word)).length
      candidates.push({
        step,
        agent,
        length: content.length,
        isRun: runs(history, kinds, step, hub),
        signals: {
          // Under a coordinator workers report what they see: the wording is not theirs.
          assumes: flag(hub === undefined && ASSUMES.test(content)),
          failed: flag(next !== undefined && isFailure(next)),
          first: flag(isFirst && hub === undefined),
          unsupported: flag(
            anybodyLooked && !isOpening && !isShort && last !== 'fine' && !ACTS.test(content) && !ASKS.test(tail),
          ),
          introduces: wanted.size === 0 ? 0 : fresh / wanted.size,
          lateness: step / history.length,
          opening: flag(isOpening),
          closing: flag(isShort),
          coordinates: flag(isHub),
        },
      })
    } else if (kinds[step] === 'observed') {
      last = NOTHING_RUN.test(content) ? 'none' : isFailure(content) ? 'failed' : 'fine'
    }
    for (const word of words) seen.add(word)
  })
  return candidates
}

const flag = (value: boolean): number => (value ? 1 : 0)

const isFailure = (text: string): boolean => !NOTHING_RUN.test(text) && FAILURE.test(text.slice(0, OBSERVATION_CHARS))

/** Whose messages are what: a speaker most of whose messages look like output of a machine is one. */
function toKinds(question: string, history: readonly TraceMessage[]): ('said' | 'observed' | 'asked')[] {
  const counts = new Map<string, { all: number; observed: number }>()
  for (const { agent, content } of history) {
    const count = counts.get(agent) ?? { all: 0, observed: 0 }
    count.all++
    if (OBSERVED.test(content.slice(0, 80))) count.observed++
    counts.set(agent, count)
  }
  const asked = question.trim()
  return history.map(({ agent, content, kind }) => {
    if (kind !== undefined) return kind
    const count = counts.get(agent) ?? { all: 1, observed: 0 }
    if (count.observed * 2 > count.all) return 'observed'
    return /^(?:human|user)$/i.test(agent) || content.trim() === asked ? 'asked' : 'said'
  })
}

function findHub(history: readonly TraceMessage[], said: readonly string[]): string | undefined {
  const told = history.find(({ coordinates }) => coordinates === true)?.agent
  if (told !== undefined) return told
  const counts = new Map<string, number>()
  for (const agent of said) counts.set(agent, (counts.get(agent) ?? 0) + 1)
  if (counts.size < 2) return undefined
  const named = [...counts.keys()].find((agent) => COORDINATOR.test(agent))
  if (named !== undefined) return named
  const [first, count = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  return said.length >= HUB_MESSAGES && count >= HUB_SHARE * said.length ? first : undefined
}

/** Whether a message's program was run: a coordinator's also after it has named the next speaker. */
function runs(
  history: readonly TraceMessage[],
  kinds: readonly string[],
  step: number,
  hub: string | undefined,
): boolean {
  let next = step + 1
  while (history[step]?.agent === hub && history[next]?.agent === hub) next++
  return kinds[next] === 'observed'
}

/** The words of the final answer that are not the question's. */
function finalWords(question: string, history: readonly TraceMessage[], kinds: readonly string[]): Set<string> {
  const asked = new Set(toWords(question))
  const pick = (text: string) =>
    new Set(
      toWords(text)
        .slice(0, 80)
        .filter((word) => !asked.has(word) && !isStopWord(word)),
    )
  for (let index = history.length - 1; index >= 0; index--) {
    const stated = FINAL.exec(history[index]?.content ?? '')?.[1]
    if (stated === undefined) continue
    const words = pick(stated)
    if (words.size > 0) return words
  }
  for (let index = history.length - 1; index >= 0; index--) {
    const text = history[index]?.content ?? ''
    if (kinds[index] !== 'said' || text.trim().length < CLOSING_CHARS) continue
    const bold = [...text.matchAll(BOLD)].at(-1)?.[1]
    return pick(bold ?? text.slice(0, 400))
  }
  return new Set()
}
