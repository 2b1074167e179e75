/**
 * TaskComplexityAnalyzer: does it leave single questions to one agent, and does it see the parts of requests that have
 * some? 360 single questions (school mathematics, MT-bench, Vicuna-bench) and 524 requests with tools, labelled single or
 * parallel, read from the question alone. A call of a tool is less than the work of an agent, so that parallel calls are
 * no aim of a team: their share is shown beside the two-sign rule, and has no aim of its own. Nothing is learnt here.
 */
import { TaskComplexityAnalyzer } from '@svc/core'
import { wantsModelPlan } from '../../core/src/components/adaptive-orchestrator/plan/model-plan.ts'
import { bootstrap, groupBy } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import type { Row } from './lib/row.ts'
import { macroF1 } from './lib/scores.ts'

interface Request {
  set: string
  label: 'single' | 'parallel'
  question: string
}

/** One question as all rules see it. */
interface Judged {
  question: string
  parallel: boolean
  team: boolean
  parts: boolean
  /** Whether a run with a real model would ask it for a plan. */
  call: boolean
  byWords: boolean
}

/** Two parts give .43; signs of parallel work alone hardly reach it. */
const HAS_PARTS = 0.4

export default async function measure(data: DataFolder): Promise<Row[]> {
  const questions = data.load<{ source: string; question: string }[]>('gsm8k-questions-dev.jsonl')
  const isExam = ({ source }: { source: string }): boolean => source === 'gsm8k'
  const exam = questions.filter(isExam).map(({ question }) => judge(question, false))
  const chat = questions.filter((one) => !isExam(one)).map(({ question }) => judge(question, false))
  const requests = data
    .load<Request[]>('bfcl-dev.jsonl')
    .filter(({ set }) => set === 'curated')
    .map(({ question, label }) => judge(question, label === 'parallel'))
  const parallel = requests.filter((request) => request.parallel)
  const single = requests.filter((request) => !request.parallel)
  const units = [...groupBy(requests, ({ question }) => question).values()]
  const all = [...exam, ...chat, ...single]
  return [
    share(`non-SINGLE of ${exam.length} exam questions`, exam, 'team', 0.01, 'less'),
    share(`non-SINGLE of ${chat.length} chat prompts`, chat, 'team', 0.02, 'less'),
    share(`non-SINGLE of ${single.length} single requests`, single, 'team', 0.01, 'less'),
    share('non-SINGLE of parallel requests', parallel, 'team', null, 'more'),
    {
      ...share('parts seen in parallel requests', parallel, 'parts', null, 'more'),
      note: `parts seen in ${all.filter(({ parts }) => parts).length} of all ${all.length} single ones, the two-sign rule in ${all.filter(({ byWords }) => byWords).length}`,
    },
    {
      component: 'analyzer',
      measure: 'single or parallel by structure, macro-F1',
      n: requests.length,
      baseline: f1('byWords')(units),
      value: f1('parts')(units),
      ...bootstrap(units, f1('parts')),
      aim: null,
      note: 'baseline: the two-sign rule',
    },
    {
      component: 'analyzer',
      measure: 'single questions that would cost a planning call',
      n: all.length,
      baseline: 1,
      value: all.filter(({ call }) => call).length / all.length,
      ...bootstrap(all, (sample) => sample.filter(({ call }) => call).length / sample.length),
      aim: 0.1,
      better: 'less',
      note: `as the orchestrator decides, topology AUTO; of the chat prompts ${chat.filter(({ call }) => call).length} of ${chat.length}`,
    },
  ]
}

const analyzer = new TaskComplexityAnalyzer()

function judge(question: string, parallel: boolean): Judged {
  const complexity = analyzer.analyze({ id: 'question', description: question })
  const { recommendedTopology, features } = complexity
  return {
    question,
    parallel,
    team: recommendedTopology !== 'SINGLE',
    parts: (features.breadth ?? 0) >= HAS_PARTS,
    call: wantsModelPlan('auto', complexity, {
      topology: complexity.recommendedTopology,
      underfunded: false,
      total: 64_000,
    }),
    byWords: bySigns(question),
  }
}

/** The share of questions of which something holds, beside that of the two-sign rule. */
function share(
  measure: string,
  questions: readonly Judged[],
  which: 'team' | 'parts',
  aim: number | null,
  better: 'more' | 'less',
): Row {
  const rate = (sample: readonly Judged[], sign: 'team' | 'parts' | 'byWords'): number =>
    sample.filter((question) => question[sign]).length / sample.length
  return {
    component: 'analyzer',
    measure,
    n: questions.length,
    baseline: rate(questions, 'byWords'),
    value: rate(questions, which),
    ...bootstrap(questions, (sample) => rate(sample, which)),
    aim,
    better,
  }
}

const f1 =
  (which: 'parts' | 'byWords') =>
  (units: readonly (readonly Judged[])[]): number => {
    const questions = units.flat()
    return macroF1(
      questions.map((question) => question[which]),
      questions.map(({ parallel }) => parallel),
    )
  }

/** Two question marks, or a second request behind "and" or "also". */
const SECOND_REQUEST =
  /\b(?:and|also)\s+(?:then\s+|also\s+|please\s+)?(?:calculate|compute|find|get|give|show|tell|list|book|order|search|convert|determine|what|how|who|which|retrieve|predict|estimate|play|make|create|fetch|check)\b/i
const bySigns = (question: string): boolean => question.split('?').length > 2 || SECOND_REQUEST.test(question)
