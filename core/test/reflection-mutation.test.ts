import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ReflectionEngine } from '../src/components/reflection-engine/index.ts'
import { DEFECTS, goodAnswers, type Sample, withDefect } from './fixtures/answers.ts'

const test = suite('reflection engine on good and broken answers')
const PER_TOPIC = 15
const engine = new ReflectionEngine()

const judge = (sample: Sample) =>
  engine.evaluate({
    task: sample.task,
    output: sample.output,
    events: sample.events,
    attempt: 1,
    outputSchema: sample.outputSchema,
    data: undefined,
  })

test('it lets at least 95 % of more than 200 good answers pass', async () => {
  const samples = goodAnswers(PER_TOPIC)
  assert.ok(samples.length >= 200)
  const alarms: string[] = []
  for (const sample of samples) {
    const { verdict, checks } = await judge(sample)
    const failed = checks.filter(({ result }) => result === 'fail')
    if (verdict !== 'pass' || failed.length > 0)
      alarms.push(`${sample.topic}: ${failed.map(({ id, evidence }) => `${id} ${evidence}`).join('; ')}`)
  }
  assert.ok(
    alarms.length <= 0.05 * samples.length,
    `${alarms.length} of ${samples.length}\n${alarms.slice(0, 20).join('\n')}`,
  )
})

for (const defect of DEFECTS) {
  test(`it sees at least 90 % of the answers with this defect: ${defect}`, async () => {
    const missed: string[] = []
    let count = 0
    for (const [index, sample] of goodAnswers(PER_TOPIC).entries()) {
      const broken = withDefect(sample, defect, index)
      if (broken === undefined || broken.output === sample.output) continue
      count++
      const { verdict } = await judge(broken)
      if (verdict === 'pass') missed.push(`${broken.topic}: ${broken.output}`)
    }
    assert.ok(count >= 15, `only ${count} answers can have it`)
    assert.ok(missed.length <= 0.1 * count, `missed ${missed.length} of ${count}\n${missed.slice(0, 20).join('\n')}`)
    if (process.env.SVC_SHOW === '1') console.log(`${defect}: ${count - missed.length} of ${count}`, missed)
  })
}

test.run()
