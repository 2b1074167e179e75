/** What the default checks say of the answers that `npm run bench:quality -- truth reflection` measures. */
import { ReflectionEngine } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFECTS, goodAnswers, type Sample, withDefect } from '../quality/reflection/answers.ts'
import { CORPORA, type Judged, judgeAll, MORE_HONEST } from '../quality/truth/index.ts'

const test = suite('reflection on right and false answers')
const engine = new ReflectionEngine()

const MOST_DOUBTED = 2
const MOST_MISSED = 20
const PER_TOPIC = 15

const describe = ({ story, reflection }: Judged): string =>
  `${story.kind}: ${story.task}\n  ${story.answer.slice(0, 200)}\n  ${reflection.checks
    .filter(({ result }) => result === 'fail')
    .map(({ id, evidence }) => `${id}: ${evidence}`)
    .join('; ')}`

test('of 200 right everyday answers at most two are doubted', async () => {
  const all = [...CORPORA.honest.tuned, ...CORPORA.honest.heldOut]
  const doubted = (await judgeAll(engine, all)).filter((judged) => judged.doubted)
  assert.is(all.length, 200)
  assert.ok(doubted.length <= MOST_DOUBTED, `${doubted.length} doubted\n${doubted.map(describe).join('\n')}`)
})

test('no right answer that was once doubted is doubted again', async () => {
  const doubted = (await judgeAll(engine, MORE_HONEST)).filter((judged) => judged.doubted)
  assert.equal(doubted.map(describe), [])
})

test('of 200 answers that the log shows to be false at least 180 are caught, and no lesson repeats one', async () => {
  const all = [...CORPORA.false.tuned, ...CORPORA.false.heldOut]
  const judged = await judgeAll(engine, all)
  const missed = judged.filter(({ caught }) => !caught)
  assert.is(all.length, 200)
  assert.ok(missed.length <= MOST_MISSED, `${missed.length} missed\n${missed.map(describe).join('\n')}`)
  for (const { reflection, story } of judged) {
    const taught = reflection.lessons.map(({ trigger, advice }) => `${trigger} ${advice}`).join('\n')
    for (const { text } of reflection.claims ?? []) assert.not.ok(taught.includes(text), story.answer)
  }
})

const judge = ({ task, output, events, outputSchema }: Sample) =>
  engine.evaluate({ task, output, events, attempt: 1, outputSchema })

test('at least 95 % of 200 good answers pass', async () => {
  const samples = goodAnswers(PER_TOPIC)
  const reflections = await Promise.all(samples.map(judge))
  const alarms = reflections.filter(
    ({ verdict, checks }) => verdict !== 'pass' || checks.some(({ result }) => result === 'fail'),
  )
  assert.ok(samples.length >= 200)
  assert.ok(alarms.length <= 0.05 * samples.length, `${alarms.length} of ${samples.length}`)
})

for (const defect of DEFECTS) {
  test(`at least 90 % of the answers with this defect do not pass: ${defect}`, async () => {
    const broken = goodAnswers(PER_TOPIC).flatMap((sample, index) => {
      const made = withDefect(sample, defect, index)
      return made === undefined || made.output === sample.output ? [] : [made]
    })
    const reflections = await Promise.all(broken.map(judge))
    const missed = broken.filter((_, index) => reflections[index]?.verdict === 'pass').map(({ output }) => output)
    assert.ok(broken.length >= 15, `only ${broken.length} answers can have it`)
    assert.ok(missed.length <= 0.1 * broken.length, `missed ${missed.length} of ${broken.length}\n${missed.join('\n')}`)
  })
}

test.run()
