/** Answers of models are read as Markdown; whatever they hold, they become elements of a fixed list, and nothing is loaded or run. */
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { MarkdownText } from '../../console/src/parts/markdown/blocks.ts'
import { drawAll, putMarkdown } from './markdown-page.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: Markdown')
const { test, inBrowser } = suite

/** What texts are put together of: signs of Markdown, words, and what somebody may try. */
const PIECES = [
  ...[
    '# ',
    '## ',
    '- ',
    '* ',
    '1. ',
    '- [ ] ',
    '- [x] ',
    '> ',
    '```',
    '```ts',
    '~~~',
    '    ',
    '| a | b |',
    '|---|:-:|',
  ],
  ...[
    '**',
    '*',
    '__',
    '_',
    '~~',
    '`',
    '``',
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '<',
    '>',
    '&',
    '\\',
    '---',
    '===',
    '|',
    '!',
  ],
  ...['word', 'two words', 'ünï', '𝒳', '12', 'a_b_c', 'https://example.org/a?b=c', 'www.example.org', 'a@example.org'],
  ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<br>', '<!--', '-->', '&lt;', '&#106;', '&colon;'],
  ...[
    '[x](javascript:alert(1))',
    '[x](JaVa\tScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,x)',
  ],
  ...['[x](vbscript:x)', '[x](//evil.example)', '[x](/v1/runs)', '<javascript:alert(1)>', '[x]: javascript:alert(1)'],
  ...['[x]', '![p](https://img.example/p.png)', '![p](data:image/png;base64,AAAA)', '\u202e', '\u200b', '\u2028', '\r'],
  ...[' ', ' ', '\n', '\n', '\n\n'],
]
const anyText = fc
  .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 6 })), { maxLength: 40 })
  .map((pieces) => pieces.join(''))

const TAGS = new Set(
  'a blockquote br button code del div em h3 h4 h5 h6 hr input li ol p pre span strong table tbody td th thead tr ul'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'aria-label aria-live checked class data-align data-depth disabled href rel role scope start tabindex target title type'.split(
    ' ',
  ),
)

const open = async (): Promise<Page> => {
  const { page } = await suite.open('plugins')
  await putMarkdown(page)
  return page
}

test('a text that grows ends as it would have been read at once, and what is closed is not read again', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }), (text, steps) => {
      const growing = new MarkdownText()
      let before: readonly unknown[] = []
      for (let at = 0, turn = 0; at < text.length; turn++) {
        at += steps[turn % steps.length] ?? 1
        const blocks = growing.read(text.slice(0, at), true)
        const same = before.slice(0, -1).filter((block, index) => blocks[index] === block)
        // The last block may still become another one, and take the one before it with it.
        if (before.length > 2) assert.ok(same.length >= before.length - 2 || !text.slice(0, at).includes('\n\n'))
        before = blocks
      }
      assert.equal(growing.read(text, false), new MarkdownText().read(text, false))
    }),
    { numRuns: 300 },
  )
})

test('what is half written at the end is shown as what it becomes', () => {
  const last = (text: string) => new MarkdownText().read(text, true).at(-1)?.token
  assert.is(last('a\n\n```ts\nconst a')?.type, 'code')
  assert.is(last('Some **bold wor')?.raw, 'Some **bold wor**')
  assert.is(last('Run `npm ru')?.raw, 'Run `npm ru`')
  assert.is(last('See [the guide](https://exam')?.raw, 'See the guide')
  for (const half of ['Words\n-', 'Words\n=', 'Words\n1.', 'Words\n>', 'Words\n|', 'Words\n``', 'Words\n| a | b']) {
    const token = last(half)
    assert.is(`${token?.type} ${token?.raw.trim()}`, 'paragraph Words', half)
  }
  assert.is(last('| a | b |\n|---|---|\n| 1')?.type, 'table')
  assert.is(last('| a | b |\n|--')?.raw.trim(), '| a | b |')
  // The end of a block of code is no line of it.
  assert.is((last('```\none\n``') as { text: string }).text.trim(), 'one')
})

inBrowser(
  'whatever a text holds, it becomes known elements, its words stay, and links lead to the web and mail',
  async () => {
    const page = await open()
    const texts = fc.sample(anyText, { numRuns: 400, seed: Number(process.env.SVC_SEED ?? 1) })
    for (const isGrowing of [false, true])
      for (const [index, { tags, attributes, links, text }] of (await drawAll(page, texts, isGrowing)).entries()) {
        const wanted = texts[index] ?? ''
        const say = JSON.stringify(wanted)
        assert.equal(
          tags.filter((tag) => !TAGS.has(tag)),
          [],
          say,
        )
        assert.equal(
          attributes.filter((name) => !ATTRIBUTES.has(name)),
          [],
          say,
        )
        for (const link of links) assert.match(link, /^(?:https?:\/\/|mailto:)/, say)
        assert.is(/[\u200b\u202e\u2028]/.test(text), false, say)
        // What a name leads to is not shown by itself.
        if (isGrowing || wanted.includes(']:')) continue
        for (const word of ['word', 'words', 'ünï', '𝒳', 'alert(1)', 'onerror'])
          if (wanted.includes(word)) assert.ok(text.includes(word), `${word} of ${say}`)
      }
  },
)

inBrowser('no spelling of another scheme becomes a link, and a link that names another host says its own', async () => {
  const page = await open()
  const addresses = [
    ...[
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      ' javascript:alert(1)',
      'java&#x0A;script:alert(1)',
      '&#x6A;avascript:alert(1)',
    ],
    ...[
      'javascript&colon;alert(1)',
      'javascript&#58;alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
    ],
    ...[
      'vbscript:msgbox(1)',
      'file:///etc/passwd',
      'blob:https://a/b',
      '//evil.example',
      '/console/',
      '\\\\evil.example',
      'ftp://a.b',
    ],
    ...['view-source:https://a.b', 'https:evil.example', 'intent://x', 'svc:x'],
  ]
  const texts = addresses.flatMap((address) => [
    ...[
      `[press](${address})`,
      `[press](<${address}>)`,
      `<${address}>`,
      `![press](${address})`,
      `[press][a]\n\n[a]: ${address}`,
    ],
    `[press][a]\n\n[a]: <${address}>`,
  ])
  for (const [index, { links }] of (await drawAll(page, texts)).entries()) assert.equal(links, [], texts[index])
  const named = [
    ['[https://good.example/a](https://evil.example/a)', '(evil.example)'],
    ['[good.example](https://evil.example)', '(evil.example)'],
    ['[good\u3002example](https://evil.example)', '(evil.example)'],
    ['https://good.example@evil.example/', '(evil.example)'],
    ['[me@good.example](mailto:me@evil.example)', '(me@evil.example)'],
    ['[аpple.com](https://apple.com)', '(apple.com)'],
    // A host is one whatever markup stands between its letters, and where a part of it stands beside the link.
    ['[**good**.example](https://evil.example)', '(evil.example)'],
    ['[go`od`.example](https://evil.example)', '(evil.example)'],
    ['[good\\.example](https://evil.example)', '(evil.example)'],
    ['[good<br>.example](https://evil.example)', '(evil.example)'],
    ['good[.example](https://evil.example)', '(evil.example)'],
    ['[good.](https://evil.example)', '(evil.example)'],
    ['[localhost:4000](https://evil.example)', '(evil.example)'],
    ['[/console/approvals](https://evil.example)', '(evil.example)'],
    // Each link leads to one place, and has words.
    ['[![good.example](https://i.example/a.png)](https://evil.example)', '(evil.example)'],
    ['[a <https://good.example> b](https://evil.example)', '(evil.example)'],
    ['[](https://evil.example)', 'https://evil.example'],
  ] as const
  const drawn = await drawAll(
    page,
    named.map(([text]) => text),
  )
  for (const [index, { text, links }] of drawn.entries()) {
    assert.is(links.length, 1)
    assert.ok(text.endsWith(named[index]?.[1] ?? ''), text)
  }
  for (const { text } of await drawAll(page, [
    '[the guide](https://example.org/a)',
    'https://example.org/a.b/c.html',
    '[example.org](https://www.example.org)',
  ]))
    assert.not.match(text, /\(/)
})

inBrowser('headings fit below those of the page, and HTML, entities and code are shown as text', async () => {
  const page = await open()
  const [headings, html, code, image] = await drawAll(page, [
    '### a\n\n# b\n\n#### c\n\n> # d',
    '<b>x</b> &lt;i&gt; &amp;amp; a<br>b',
    '```html\n<b>&lt;</b>\n```',
    '![A chart](https://img.example/a.png)',
  ])
  assert.match(headings?.html ?? '', /<h3[^>]*>a<\/h3><h3[^>]*>b<\/h3><h4[^>]*>c<\/h4><blockquote><p/)
  assert.is(html?.text, '<b>x</b> <i> &amp; ab')
  assert.ok(code?.text.includes('<b>&lt;</b>'))
  assert.match(image?.text ?? '', /Image from img\.example: A chart Show/)
  assert.equal(image?.links, ['https://img.example/a.png'])
})

inBrowser('a text of 100 KB of one sign, or of things inside each other, is drawn', async () => {
  const page = await open()
  const units = [
    ...[
      '[',
      '*',
      '`',
      '>',
      '_',
      '![',
      '[](',
      '**_a',
      '|',
      '- ',
      '> - ',
      '- a\n',
      '> a\n\n',
      'a\n-\n',
      '>a\n- ',
      '|a\n|-\n',
    ],
    ...['https://a.b/(', '[a]: b\n\n', '- ```\n', `${'**_a'.repeat(400)}\n\n`, '|1|**2**|\n|-|-|\n'],
    Array.from({ length: 300 }, (_, deep) => `${' '.repeat(2 * deep)}- x\n`).join(''),
  ]
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(100_000 / unit.length)).slice(0, 100_000)
    const [drawn] = await drawAll(page, [text])
    assert.equal(
      drawn?.tags.filter((tag) => !TAGS.has(tag)),
      [],
      unit,
    )
  }
})

inBrowser('what is selected in a text stays so while the text grows', async () => {
  const page = await open()
  const kept = await page.evaluate(`(async () => {
    const words = 'Some words that are long enough to be drawn in pieces. '.repeat(8)
    const head = '# Title of it all\\n\\nFirst paragraph.\\n\\n'
    const root = window.drawMarkdown(head + words, true)
    const select = (node) => getSelection().setBaseAndExtent(node, 2, node, 9)
    const texts = [root.querySelector('h3').firstChild, root.querySelectorAll('p')[1].firstChild]
    const found = []
    let text = head + words
    for (const node of texts) {
      select(node)
      const before = String(getSelection())
      for (let more = 0; more < 20; more++) {
        text += 'and more '
        window.drawMarkdown(text, true)
        await new Promise((done) => setTimeout(done))
      }
      window.drawMarkdown(text, false)
      found.push(before.length === 7 && String(getSelection()) === before)
    }
    return found
  })()`)
  assert.equal(kept, [true, true])
})

test.run()
