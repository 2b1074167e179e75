/** The report's page in a real browser: it asks for nothing, reports nothing wrong, and axe finds nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasBrowser, openBrowser } from '../../../server/test/console/browser.ts'
import { toHtml, toReport } from '../../src/experiment/report/index.ts'
import { simulateExperiment } from '../fixtures/simulate-experiment.ts'

const test = suite('page of an experiment')

const scenes = {
  'one task': simulateExperiment({ tasks: 1, seeds: 1 }),
  'three arms with long names and markup': simulateExperiment({
    tasks: 150,
    arms: [
      { id: 'reflection-with-three-critics-and-a-vote-at-every-single-step', gain: 0.2 },
      { id: '<img src=x onerror=alert(1)>', gain: -0.2 },
      { id: 'local', priced: false },
    ],
  }),
}

if (hasBrowser) {
  test('the page works without a request, a script or a fault, narrow and wide, light and dark', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
    const browser = await openBrowser()
    try {
      for (const [name, { design, cells }] of Object.entries(scenes)) {
        const file = join(folder, 'report.html')
        writeFileSync(file, toHtml(toReport(design, cells)))
        for (const options of [{ width: 400 }, { width: 1440, dark: true }]) {
          const { page, faults, audit } = await browser.open(pathToFileURL(file).href, options)
          const asked: string[] = []
          page.on('request', (request) => asked.push(request.url()))
          await page.reload()
          assert.equal(
            asked.filter((url) => !url.endsWith('/report.html')),
            [],
            name,
          )
          assert.equal(await audit(), [], name)
          assert.equal(faults, [], name)
          const width = await page.evaluate('document.documentElement.scrollWidth')
          assert.is(width, options.width, `${name} is as wide as the window`)
          assert.is(await page.locator('script, img').count(), 0)
          await page.close()
        }
      }
    } finally {
      await browser.close()
      rmSync(folder, { recursive: true })
    }
  })
}

test.run()
