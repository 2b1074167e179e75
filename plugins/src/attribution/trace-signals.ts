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
  /** Opens the conversation, as a rule by stating the task. */
  opening: number
  /** Gives work to others. */
  coordinates: number
}

/** A message that an agent is responsible for. */
export interface Candidate {
  step: number
  agent: string
  length: number
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
  const said = history.filter((_, index) => kinds[index] === 'said')
  const hub = findHub(said)
  const wanted = finalWords(question, history, said)
  const seen = new Set<string>()
  const candidates: Candidate[] = []
  let hasWorked = false
  for (const [step, { agent, content }] of history.entries()) {
    const words = new Set(toWords(content).slice(0, MOST_WORDS))
    if (kinds[step] === 'said') {
      const next = kinds[step + 1] === 'observed' ? (history[step + 1]?.content ?? '') : ''
      const isFirst = !hasWorked && hub === undefined && candidates.length > 0 && !isShort(content)
      if (isFirst) hasWorked = true
      const fresh = [...wanted].filter((word) => words.has(word) && !seen.has(word)).length
      const signals = {
        failed: Number(isFailure(next)),
        first: Number(isFirst),
        introduces: wanted.size === 0 ? 0 : fresh / wanted.size,
        lateness: step / history.length,
        opening: Number(candidates.length === 0),
        coordinates: Number(agent === hub),
      }
      candidates.push({ step, agent, length: content.length, signals })
    }
    for (const word of words) seen.add(word)
  }
  return candidates
}

const isShort = (text: string): boolean => text.trim().length < CLOSING_CHARS

const isFailure = (text: string): boolean => !NOTHING_RUN.test(text) && FAILURE.test(text.slice(0, OBSERVATION_CHARS))

type Kind = NonNullable<TraceMessage['kind']>

/** What each message is: a speaker most of whose messages look like output of a machine is one. */
function toKinds(question: string, history: readonly TraceMessage[]): Kind[] {
  const isMachine = (speaker: string): boolean => {
    const own = history.filter(({ agent }) => agent === speaker)
    return own.filter(({ content }) => OBSERVED.test(content.slice(0, 80))).length * 2 > own.length
  }
  const machines = new Set([...new Set(history.map(({ agent }) => agent))].filter(isMachine))
  const asked = question.trim()
  return history.map(({ agent, content, kind }) => {
    if (kind !== undefined) return kind
    if (machines.has(agent)) return 'observed'
    return /^(?:human|user)$/i.test(agent) || content.trim() === asked ? 'asked' : 'said'
  })
}

/** The agent that coordinates: as marked, else by its name, else by its share of the turns. */
function findHub(said: readonly TraceMessage[]): string | undefined {
  const marked = said.find(({ coordinates }) => coordinates === true)?.agent
  if (marked !== undefined) return marked
  const agents = [...new Set(said.map(({ agent }) => agent))]
  if (agents.length < 2) return undefined
  const turnsOf = (speaker: string): number => said.filter(({ agent }) => agent === speaker).length
  return (
    agents.find((agent) => COORDINATOR.test(agent)) ??
    agents.find((agent) => said.length >= HUB_MESSAGES && turnsOf(agent) >= HUB_SHARE * said.length)
  )
}

/** The words of the final answer that are not the question's. */
function finalWords(
  question: string,
  history: readonly TraceMessage[],
  said: readonly TraceMessage[],
): ReadonlySet<string> {
  const asked = new Set(toWords(question))
  const stated = history.map(({ content }) => FINAL.exec(content)?.[1] ?? '').reverse()
  const last = said.findLast(({ content }) => !isShort(content))?.content ?? ''
  for (const answer of [...stated, [...last.matchAll(BOLD)].at(-1)?.[1] ?? last.slice(0, 400)]) {
    const words = toWords(answer).slice(0, 80)
    const own = words.filter((word) => !asked.has(word) && !isStopWord(word))
    if (own.length > 0) return new Set(own)
  }
  return new Set()
}
