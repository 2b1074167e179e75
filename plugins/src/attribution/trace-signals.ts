import { isStopWord, toWords } from '@svc/core/text'
import type { TraceMessage } from './trace.ts'

/** What a message of a failed run gives to suspect, each from 0 to 1. */
export interface StepSignals {
  /** The next observation is a failure. */
  failed: number
  /** The first contribution of an agent that works. */
  first: number
  /** Share of the final answer's words that stand here first. */
  introduces: number
  /** Where in the run it stands. */
  lateness: number
  /** States the task. */
  opening: number
  /** Only ends the conversation. */
  closing: number
  /** Gives work to others. */
  coordinates: number
}

/** A message that an agent is responsible for. */
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
const COORDINATOR = /orchestrat|coordinat|supervis|dispatch|^(?:chat|group).{0,10}manager|^(?:lead|planner)\b/i
const FINAL = /final answer:?\s{0,5}(.{1,400})/i
const BOLD = /\*\*([^*]{1,200})\*\*/g
const CLOSING_CHARS = 60
const OBSERVATION_CHARS = 3_000
const MOST_WORDS = 1_500
/** An agent with this share of the turns speaks between all others. */
const HUB_SHARE = 0.7
const HUB_MESSAGES = 5

/** Which messages there are to suspect, in order. Linear in the text. */
export function toCandidates(question: string, history: readonly TraceMessage[]): Candidate[] {
  const kinds = toKinds(question, history)
  const hub = findHub(history, kinds)
  const wanted = finalWords(question, history, kinds)
  const seen = new Set<string>()
  const candidates: Candidate[] = []
  let hasWorked = false
  for (const [step, { agent, content }] of history.entries()) {
    const words = new Set(toWords(content).slice(0, MOST_WORDS))
    if (kinds[step] === 'said') {
      const isHub = agent === hub
      const next = kinds[step + 1] === 'observed' ? (history[step + 1]?.content ?? '') : ''
      const isShort = content.trim().length < CLOSING_CHARS
      const isOpening = candidates.length === 0
      const isFirst = !hasWorked && !isHub && !isShort && !(isOpening && hub === undefined)
      if (isFirst) hasWorked = true
      const fresh = [...wanted].filter((word) => words.has(word) && !seen.has(word)).length
      candidates.push({
        step,
        agent,
        length: content.length,
        isRun: isRun(history, kinds, step, hub),
        signals: {
          failed: Number(isFailure(next)),
          first: Number(isFirst && hub === undefined),
          introduces: wanted.size === 0 ? 0 : fresh / wanted.size,
          lateness: step / history.length,
          opening: Number(isOpening),
          closing: Number(isShort),
          coordinates: Number(isHub),
        },
      })
    }
    for (const word of words) seen.add(word)
  }
  return candidates
}

const isFailure = (text: string): boolean => !NOTHING_RUN.test(text) && FAILURE.test(text.slice(0, OBSERVATION_CHARS))

type Kind = NonNullable<TraceMessage['kind']>

/** What each message is: a speaker most of whose messages look like output of a machine is one. */
function toKinds(question: string, history: readonly TraceMessage[]): Kind[] {
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

/** The agent that coordinates: as marked, else by its name, else by its share of the turns. */
function findHub(history: readonly TraceMessage[], kinds: readonly Kind[]): string | undefined {
  const marked = history.find(({ coordinates }) => coordinates === true)?.agent
  if (marked !== undefined) return marked
  const said = history.flatMap(({ agent }, index) => (kinds[index] === 'said' ? [agent] : []))
  const counts = new Map<string, number>()
  for (const agent of said) counts.set(agent, (counts.get(agent) ?? 0) + 1)
  if (counts.size < 2) return undefined
  const named = [...counts.keys()].find((agent) => COORDINATOR.test(agent))
  if (named !== undefined) return named
  const [first, count = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  return said.length >= HUB_MESSAGES && count >= HUB_SHARE * said.length ? first : undefined
}

/** Whether a message's program was run: a coordinator's also after it has named the next speaker. */
function isRun(
  history: readonly TraceMessage[],
  kinds: readonly Kind[],
  step: number,
  hub: string | undefined,
): boolean {
  let next = step + 1
  while (history[step]?.agent === hub && history[next]?.agent === hub) next++
  return kinds[next] === 'observed'
}

/** The words of the final answer that are not the question's. */
function finalWords(question: string, history: readonly TraceMessage[], kinds: readonly Kind[]): Set<string> {
  const asked = new Set(toWords(question))
  const pick = (text: string) =>
    new Set(
      toWords(text)
        .slice(0, 80)
        .filter((word) => !asked.has(word) && !isStopWord(word)),
    )
  for (let index = history.length - 1; index >= 0; index--) {
    const stated = FINAL.exec(history[index]?.content ?? '')?.[1]
    const words = pick(stated ?? '')
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
