/** The rules of Prometheus that come with svc: each fires where it should, and names a place of the docs. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('alerts')

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const rules = readFileSync(pathOf('../deploy/prometheus/rules.yml'), 'utf8')
const cases = readFileSync(pathOf('fixtures/rules.test.yml'), 'utf8')
const names = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

if (hasPromtool)
  test('each alert fires where it should and not before, by Prometheus itself', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', pathOf('fixtures/rules.test.yml')], {
      encoding: 'utf8',
    })
    assert.is(status, 0, stdout + stderr)
  })
else test.skip('the alerts are not tried: skipped, there is no promtool', () => {})

test('each alert has a case in which it fires, a severity, and a heading of the docs that says what to do', () => {
  const headings = new Set(
    [...readFileSync(pathOf('../../docs/monitoring.md'), 'utf8').matchAll(/^### (\w+)$/gm)].map(([, name]) => name),
  )
  assert.ok(names.length >= 10)
  for (const [index, name] of names.entries()) {
    const text = rules.slice(rules.indexOf(`alert: ${name}\n`), rules.indexOf(`alert: ${names[index + 1]}\n`) >>> 0)
    assert.match(text, /severity: (?:info|warning|critical)/, name)
    assert.match(text, /\n +for: \d+m\n/, name)
    assert.match(text, `runbook: docs/monitoring.md#${name.toLowerCase()}`)
    assert.match(text, /summary: .+/)
    assert.match(cases, new RegExp(`eval_time: \\w+\\n +alertname: ${name}\\n +exp_alerts:\\n`), name)
    assert.ok(headings.has(name), `${name} in docs/monitoring.md`)
  }
})

test.run()
