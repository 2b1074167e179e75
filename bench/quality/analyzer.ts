/**
 * TaskComplexityAnalyzer: does it leave single questions to one agent, and does it see the parts of requests that have
 * some? 360 single questions (school mathematics, MT-bench, Vicuna-bench) and 524 requests with tools, labelled single or
 * parallel, read from the question alone. Nothing is learnt here but the rule by length, which is cross-validated with
 * equal questions in one fold.
 */
import { TaskComplexityAnalyzer } from '@svc/core'
import { bootstrap, groupBy } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import { crossPredict, toFolds } from './lib/folds.ts'
import { fitLogistic, predictLogistic } from './lib/regression.ts'
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
  byWords: boolean
  byLength: boolean
}

/** Two parts give .43; signs of parallel work alone hardly reach it. */
const HAS_PARTS = 0.4

export default async function measure(data: DataFolder): Promise<Row[]> {
  const singles = data
    .load<{ question: string }[]>('gsm8k-questions-dev.jsonl')
    .map(({ question }) => judge(question, false))
  const requests = data
    .load<Request[]>('bfcl-dev.jsonl')
    .filter(({ set }) => set === 'curated')
    .map(({ question, label }) => judge(question, label === 'parallel'))
  const parallel = requests.filter((request) => request.parallel)
  const lengths = byLength(requests)
  requests.forEach((request, index) => {
    request.byLength = lengths[index] ?? false
  })
  const unlike = requests.filter((request) => request.byLength !== request.parallel)
  const units = groupBy(requests, ({ question }) => question)
  return [
    share('non-SINGLE of 360 single questions', singles, 0.01, 'less'),
    share('non-SINGLE of parallel requests', parallel, 0.6, 'more'),
    {
      component: 'analyzer',
      measure: 'single or parallel by structure, macro-F1',
      n: requests.length,
      baseline: f1('byLength')(units),
      value: f1('parts')(units),
      ...bootstrap(units, f1('parts')),
      aim: 0.88,
      note:
        `baseline: logistic on the logarithm of the number of words, 5-fold. ` +
        `Parts found in ${singles.filter(({ parts }) => parts).length} of the ${singles.length} single questions`,
    },
    {
      component: 'analyzer',
      measure: 'the same where length misleads',
      n: unlike.length,
      baseline: 0,
      value: unlike.filter(({ parts, parallel: is }) => parts === is).length / unlike.length,
      ...bootstrap(unlike, (sample) => sample.filter(({ parts, parallel: is }) => parts === is).length / sample.length),
      aim: null,
      note: 'accuracy on the requests that the rule by length gets wrong',
    },
  ]
}

const analyzer = new TaskComplexityAnalyzer()

function judge(question: string, parallel: boolean): Judged {
  const { recommendedTopology, features } = analyzer.analyze({ id: 'question', description: question })
  return {
    question,
    parallel,
    team: recommendedTopology !== 'SINGLE',
    parts: (features.breadth ?? 0) >= HAS_PARTS,
    byWords: bySigns(question),
    byLength: false,
  }
}

function share(measure: string, questions: readonly Judged[], aim: number, better: 'more' | 'less'): Row {
  const rate = (sample: readonly Judged[], which: 'team' | 'byWords'): number =>
    sample.filter((question) => question[which]).length / sample.length
  return {
    component: 'analyzer',
    measure,
    n: questions.length,
    baseline: rate(questions, 'byWords'),
    value: rate(questions, 'team'),
    ...bootstrap(questions, (sample) => rate(sample, 'team')),
    aim,
    better,
  }
}

const f1 =
  (which: 'parts' | 'byLength') =>
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

function byLength(requests: readonly Judged[]): boolean[] {
  const length = ({ question }: Judged): number[] => [Math.log(1 + question.split(/\s+/).length)]
  return crossPredict(
    requests,
    toFolds(requests.map(({ question }) => question)),
    (training) =>
      fitLogistic(
        training.map(length),
        training.map(({ parallel }) => parallel),
      ),
    (model, request) => predictLogistic(model, length(request)) >= 0.5,
  )
}
