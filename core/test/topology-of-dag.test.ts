import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type DagNode, toTopologyOfDag } from '../src/components/task-complexity-analyzer/index.ts'

const test = suite('toTopologyOfDag')
/** `a>b,c` : a waits for b and c. */
const graph = (text: string): DagNode[] =>
  text.split(' ').map((node) => {
    const [id = '', dependencies = ''] = node.split('>')
    return dependencies === '' ? { id } : { id, dependsOn: dependencies.split(',') }
  })

test('reads one step as SINGLE', () => {
  assert.is(toTopologyOfDag([]), 'SINGLE')
  assert.is(toTopologyOfDag(graph('a')), 'SINGLE')
})

test('reads a chain as SEQUENTIAL', () => {
  assert.is(toTopologyOfDag(graph('a b>a c>b d>c')), 'SEQUENTIAL')
})

test('reads steps without order as PARALLEL', () => {
  assert.is(toTopologyOfDag(graph('a b c')), 'PARALLEL')
})

test('reads a fan-in as CENTRALIZED', () => {
  assert.is(toTopologyOfDag(graph('a b c d>a,b,c')), 'CENTRALIZED')
})

test('reads width with depth as HYBRID only under high risk', () => {
  const steps = graph('a b c d>a,b,c e>d f>e')
  assert.is(toTopologyOfDag(steps), 'CENTRALIZED')
  assert.is(toTopologyOfDag(steps, 'high'), 'HYBRID')
})

test('reads long narrow work as SEQUENTIAL', () => {
  assert.is(toTopologyOfDag(graph('a b c>a d>b e>c f>d')), 'SEQUENTIAL')
})

test('refuses repeated ids, unknown dependencies and circles', () => {
  assert.throws(() => toTopologyOfDag(graph('a a')), /"a" is there twice/)
  assert.throws(() => toTopologyOfDag(graph('a>b')), /depends on "b"/)
  assert.throws(() => toTopologyOfDag(graph('a>b b>a c')), /"a", "b" wait for each other/)
})

test('handles a chain of 100 000 steps', () => {
  const steps = Array.from(
    { length: 100_000 },
    (_, index): DagNode => (index === 0 ? { id: '0' } : { id: `${index}`, dependsOn: [`${index - 1}`] }),
  )
  assert.is(toTopologyOfDag(steps), 'SEQUENTIAL')
})

test.run()
