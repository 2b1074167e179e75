import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TaskComplexityAnalyzer } from '../src/components/task-complexity-analyzer/index.ts'
import { HELD_OUT, PAIRS } from './fixtures/difficulty.ts'

const test = suite('difficulty of everyday tasks')
const analyzer = new TaskComplexityAnalyzer()
const scoreOf = (description: string): number => analyzer.analyze({ id: 'task', description }).score

for (const [name, pairs] of [
  ['pairs', PAIRS],
  ['held-out pairs', HELD_OUT],
] as const) {
  test(`ranks at least 90 % of the ${name} as people would`, () => {
    const wrong = pairs.filter(([harder, easier]) => scoreOf(harder) <= scoreOf(easier))
    const lines = wrong.map(([a, b]) => `${scoreOf(a).toFixed(2)} ${a} <= ${scoreOf(b).toFixed(2)} ${b}`)
    assert.ok(wrong.length <= pairs.length / 10, `${wrong.length} of ${pairs.length} are wrong:\n${lines.join('\n')}`)
  })
}

test.run()
