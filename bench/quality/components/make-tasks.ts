import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TaskInput } from '@svc/sdk/experiment'
import type { Question } from '../../offline/score.ts'
import type { DataFolder } from '../lib/data.ts'

interface Conversation {
  id: string
  sessions: { n: number; date: string }[]
  turns: { id: string; session: number; speaker: string; text: string; caption?: string }[]
  qa: { id: string; category: string; question: string; evidence: string[] }[]
}

/** What a task's score goes by. */
export type Expected =
  | { kind: 'lines'; lines: string[] }
  | { kind: 'number'; number: string }
  | { kind: 'package'; id: string }

export interface MadeTasks {
  tasks: TaskInput[]
  /** What packages are asked, by the id of the task. */
  questions: Map<string, Question>
}

/** Questions of a category that are taken of each conversation where it has as many, evenly over it. */
const OF_A_CATEGORY: Readonly<Record<string, number>> = {
  'single-hop': 8,
  'multi-hop': 8,
  temporal: 8,
  'open-domain': 4,
}
/** Tasks of several questions, of each conversation: half with an order before them, half with a budget that makes shares count. */
const LISTS = 8
const LIST_LENGTH = 3
const SMALL_BUDGET = 24_000
const SUMS = 40
/** Small ones of those that the offline provider is asked about; half of their questions. */
const PACKAGES = ['express', 'tapable', 'qs', 'minimist', 'semver', 'prom-client', 'eventsource']
const QUESTIONS = fileURLToPath(new URL('../../offline/questions', import.meta.url))
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** Writes the workspaces of all tasks below a folder; every other task of a kind is of high risk, so that votes are asked for. */
export async function makeTasks(data: DataFolder, folder: string): Promise<MadeTasks> {
  const questions: MadeTasks['questions'] = new Map()
  const { conversations } = data.load<{ conversations: Conversation[] }>('locomo-dev.json')
  const sums = data
    .load<{ id: string; source: string; question: string; answer: string }[]>('gsm8k-questions-dev.jsonl')
    .filter(({ source }) => source === 'gsm8k')
    .slice(0, SUMS)
  const empty = join(folder, 'sums')
  mkdirSync(empty, { recursive: true })
  const tasks = [
    ...conversations.flatMap((conversation) => aboutConversation(conversation, join(folder, conversation.id))),
    ...sums.map(({ id, question, answer }, index) =>
      toTask(id, question, { kind: 'number', number: answer }, empty, ['sums', 'sums', id], index),
    ),
  ]
  for (const name of PACKAGES) tasks.push(...aboutPackage(name, folder, questions))
  return { tasks, questions }
}

function toTask(
  id: string,
  task: string,
  expected: Expected,
  workspace: string,
  [set, kind, family]: readonly [string, string, string],
  index: number,
): TaskInput {
  const riskLevel = index % 2 === 0 ? 'low' : 'high'
  return { id, task, expected, workspace, family, strata: { set, kind, risk: riskLevel }, options: { riskLevel } }
}

/** A file for each session, a line for each turn. */
function aboutConversation({ id, sessions, turns, qa }: Conversation, workspace: string): TaskInput[] {
  mkdirSync(workspace, { recursive: true })
  const places = new Map<string, string>()
  for (const { n, date } of sessions) {
    const file = `session-${String(n).padStart(2, '0')}.md`
    const lines = [`Session ${n}, ${date}`]
    for (const turn of turns.filter(({ session }) => session === n)) {
      const text = `${turn.speaker}: ${turn.text}${turn.caption === undefined ? '' : ` [image: ${turn.caption}]`}`
      lines.push(text.replace(/\s+/g, ' '))
      places.set(turn.id, `${file}:${lines.length}`)
    }
    writeFileSync(join(workspace, file), `${lines.join('\n')}\n`)
  }
  const linesOf = (questions: Conversation['qa']): string[] => [
    ...new Set(questions.flatMap(({ evidence }) => evidence.flatMap((turn) => places.get(turn) ?? []))),
  ]
  const known = qa.filter(({ evidence }) => evidence.length > 0)
  const single = Object.entries(OF_A_CATEGORY).flatMap(([category, count]) =>
    spread(
      known.filter((one) => one.category === category),
      count,
    ).map((one, index) => {
      const expected: Expected = { kind: 'lines', lines: linesOf([one]) }
      const name = one.id.replaceAll('/', '-')
      return toTask(name, one.question, expected, workspace, ['conversations', category, id], index)
    }),
  )
  const asked = spread(
    known.filter(({ category }) => category === 'single-hop' || category === 'temporal'),
    LISTS * LIST_LENGTH,
  )
  const lists = Array.from({ length: LISTS }, (_, index) => {
    const own = Array.from({ length: LIST_LENGTH }, (_, place) => asked[index + place * LISTS]).flatMap(
      (one) => one ?? [],
    )
    const expected: Expected = { kind: 'lines', lines: linesOf(own) }
    const isTight = index % 4 >= 2
    const hasOrder = index < LISTS / 2
    const order = hasOrder ? 'Answer each of these questions:\n' : ''
    const text = `${order}${own.map(({ question }, place) => `${place + 1}. ${question}`).join('\n')}`
    const kind = `list${hasOrder ? ' with an order' : ''}${isTight ? ', small budget' : ''}`
    const task = toTask(`${id}-list-${index}`, text, expected, workspace, ['lists', kind, id], index)
    return isTight ? { ...task, options: { ...task.options, tokenBudget: SMALL_BUDGET } } : task
  })
  return [...single, ...lists]
}

/** So many of a list, evenly over it. */
const spread = <T>(items: readonly T[], count: number): T[] =>
  items.length <= count
    ? [...items]
    : Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T)

function aboutPackage(name: string, folder: string, questions: MadeTasks['questions']): TaskInput[] {
  const workspace = join(folder, name)
  cpSync(join(MODULES, name), workspace, {
    recursive: true,
    dereference: true,
    filter: (path) => !path.slice(MODULES.length).includes('node_modules'),
  })
  const all = JSON.parse(readFileSync(join(QUESTIONS, `${name}.json`), 'utf8')) as Question[]
  const asked = all.filter((_, index) => index % 2 === 0)
  return asked.map((question, index) => {
    const id = `${name}-${index + 1}`
    questions.set(id, question)
    const expected: Expected = { kind: 'package', id }
    return toTask(id, question.question, expected, workspace, ['packages', 'packages', name], index)
  })
}
