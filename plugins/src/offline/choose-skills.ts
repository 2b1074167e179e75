import type { OfferedTools } from './offered-tools.ts'
import type { Question } from './question.ts'
import { asksForJudgement } from './read/asked-kind.ts'
import type { Skill } from './skill.ts'
import { anyTool, readToolOrder } from './skills/any-tool.ts'
import { architecture } from './skills/architecture.ts'
import { arithmetic } from './skills/arithmetic.ts'
import { changes } from './skills/changes.ts'
import { copyright } from './skills/copyright.ts'
import { count } from './skills/count.ts'
import { data } from './skills/data.ts'
import { entryPoints } from './skills/entry-points.ts'
import { howTo } from './skills/how-to.ts'
import { manifestFacts } from './skills/manifest-facts.ts'
import { memory } from './skills/memory.ts'
import { missingTool } from './skills/missing-tool.ts'
import { page } from './skills/page.ts'
import { purpose } from './skills/purpose.ts'
import { summary } from './skills/summary.ts'
import { symbol } from './skills/symbol.ts'
import { usage } from './skills/usage.ts'

/** In the order in which their answers are said. */
const SKILLS: readonly Skill[] = [
  missingTool,
  memory,
  arithmetic,
  page,
  anyTool,
  data,
  count,
  changes,
  copyright,
  usage,
  manifestFacts,
  howTo,
  purpose,
  architecture,
  entryPoints,
  symbol,
  summary,
]

/** Skills whose answer covers what others would say to the same words. */
const COVERS: Readonly<Record<string, readonly string[]>> = {
  'missing-tool': SKILLS.map((skill) => skill.id),
  memory: SKILLS.map((skill) => skill.id),
  arithmetic: SKILLS.map((skill) => skill.id),
  page: [
    'changes',
    'copyright',
    'how-to',
    'purpose',
    'architecture',
    'summary',
    'symbol',
    'usage',
    'manifest-facts',
    'entry-points',
  ],
  'any-tool': ['changes', 'how-to', 'symbol', 'summary', 'usage', 'purpose'],
  data: [
    'count',
    'how-to',
    'changes',
    'usage',
    'summary',
    'symbol',
    'manifest-facts',
    'purpose',
    'entry-points',
    'architecture',
  ],
  count: ['usage', 'how-to', 'summary', 'symbol', 'architecture', 'manifest-facts', 'purpose', 'entry-points'],
  changes: ['manifest-facts', 'symbol', 'summary', 'purpose', 'how-to', 'usage', 'count'],
  'entry-points': ['symbol'],
  copyright: ['manifest-facts', 'symbol', 'purpose', 'usage'],
  'how-to': ['symbol', 'summary', 'purpose'],
  usage: ['symbol', 'how-to', 'summary', 'manifest-facts', 'purpose', 'entry-points', 'architecture'],
  architecture: ['purpose', 'entry-points', 'how-to'],
  symbol: ['summary', 'purpose', 'entry-points'],
  summary: ['purpose', 'entry-points'],
}

/** Skills whose answers say how things are: none is a cause, an opinion or a comparison. */
const TELLS_FACTS = new Set(['how-to', 'usage', 'purpose', 'architecture', 'entry-points', 'symbol', 'summary'])

/** The skills that a question asks for; empty when it is of no known kind. */
export function chooseSkills(question: Question, tools: OfferedTools): Skill[] {
  if (readToolOrder(question, tools)) return [anyTool]
  const asked = SKILLS.filter(
    (skill) => skill.asks(question, tools) && !(TELLS_FACTS.has(skill.id) && asksForJudgement(question.lower)),
  )
  const covered = new Set<string>()
  for (const skill of asked) {
    if (covered.has(skill.id)) continue
    for (const id of COVERS[skill.id] ?? []) if (id !== skill.id) covered.add(id)
  }
  if (
    asked.some((skill) => skill.id === 'architecture') &&
    !/\b(?:version|licen[cs]ed?|authors?)\b/.test(question.lower)
  )
    covered.add('manifest-facts')
  return asked.filter((skill) => !covered.has(skill.id))
}
