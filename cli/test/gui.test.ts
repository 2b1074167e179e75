/** `svc gui`: the console is served, and opened where a person sits. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from './fixtures/notes.ts'
import { atTerminal, hasTerminal } from './fixtures/terminal.ts'
import { begin, makeWorld, svc } from './fixtures/world.ts'

const test = suite('svc gui')

test('it prints the address of the console, which is there, and ends at a signal', async () => {
  const running = begin(makeWorld(), ['gui', '--port', '0'])
  const [, server = ''] = await running.says(/svc: listening on (http:[^;]+);/)
  const page = await fetch(`${server}/console/`)
  assert.is(page.status, 200)
  assert.match(await page.text(), /<script type="module"/)
  running.child.kill('SIGTERM')
  const { code, out } = await running.outcome
  assert.is(code, 143)
  assert.is(out, `${server}/console/\n`)
})

test('the console is there whatever the config says; words are refused', async () => {
  const world = makeWorld({ server: { console: false } })
  const running = begin(world, ['gui', '--port', '0', '--json'])
  await running.says(/svc: listening on/)
  running.child.kill('SIGTERM')
  const { url } = JSON.parse((await running.outcome).out) as { url: string }
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/console\/$/)
  assert.is((await svc(world, ['gui', 'now'])).code, 2)
})

if (hasTerminal) {
  test('at a terminal a browser opens it, unless nobody wants that', async () => {
    const world = makeWorld()
    const browser = join(world.work, 'browser.sh')
    const seen = join(world.work, 'opened')
    writeFileSync(browser, `#!/bin/sh\necho "$1" >> '${seen}'\n`)
    chmodSync(browser, 0o755)
    const opened = (): string => {
      try {
        return readFileSync(seen, 'utf8')
      } catch {
        return ''
      }
    }
    const quiet = atTerminal(world, ['gui', '--port', '0', '--no-open'], { env: { BROWSER: browser } })
    await quiet.says(/listening on/)
    quiet.type('\x03')
    await quiet.end
    const terminal = atTerminal(world, ['gui', '--port', '0'], { env: { BROWSER: browser } })
    await terminal.says(/listening on/)
    await until(() => opened() !== '')
    terminal.type('\x03')
    const { lines } = await terminal.end
    assert.is(
      opened().trim(),
      lines.find((line) => line.includes('/console/')),
    )
  })
}

test.run()
