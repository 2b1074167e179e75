/** What the default checks say of the answers that `npm run bench:quality -- truth reflection` measures. */
import { type Reflection, ReflectionEngine } from '@svc/core'
import { verdictOf } from '@svc/core/schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFECTS, goodAnswers, type Sample, withDefect } from '../quality/reflection/answers.ts'
import { CORPORA, type Judged, judgeAll, MORE_HONEST } from '../quality/truth/index.ts'

const test = suite('reflection on right and false answers')
const engine = new ReflectionEngine()

const MOST_DOUBTED = 2
/** Three of four: rules refuse only what the log decides. The others stay open. */
const LEAST_CAUGHT = 130
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

test('of 200 answers that the log shows to be false none is verified, at least 130 are caught, and no lesson repeats one', async () => {
  const all = [...CORPORA.false.tuned, ...CORPORA.false.heldOut]
  const judged = await judgeAll(engine, all)
  const missed = judged.filter(({ caught }) => !caught)
  assert.is(all.length, 200)
  assert.equal(judged.filter(({ reflection }) => verdictOf(reflection) === 'pass').map(describe), [])
  assert.ok(
    judged.length - missed.length >= LEAST_CAUGHT,
    `${missed.length} missed\n${missed.map(describe).join('\n')}`,
  )
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

/** The share of the answers with a defect that do not pass. Whether tests ran is often nothing that the task asked for. */
const LEAST_SEEN = { 'wrong number': 0.5, 'fake address': 0.9, truncated: 0.9, 'broken JSON': 0.9, 'unrun test': 0.4 }

for (const defect of DEFECTS) {
  const least = LEAST_SEEN[defect]
  test(`no answer with this defect is verified, and at least ${100 * least} % do not pass: ${defect}`, async () => {
    const broken = goodAnswers(PER_TOPIC).flatMap((sample, index) => {
      const made = withDefect(sample, defect, index)
      return made === undefined || made.output === sample.output ? [] : [made]
    })
    const reflections = await Promise.all(broken.map(judge))
    const outputsOf = (isMeant: (reflection: Reflection) => boolean): string[] =>
      broken.flatMap(({ output }, index) => {
        const reflection = reflections[index]
        return reflection !== undefined && isMeant(reflection) ? [output] : []
      })
    const missed = outputsOf(({ verdict }) => verdict === 'pass')
    assert.ok(broken.length >= 15, `only ${broken.length} answers can have it`)
    assert.equal(
      outputsOf((reflection) => verdictOf(reflection) === 'pass'),
      [],
    )
    assert.ok(
      missed.length <= (1 - least) * broken.length,
      `missed ${missed.length} of ${broken.length}\n${missed.join('\n')}`,
    )
  })
}

test.run()
