import { ask } from '/work/wt/offline/plugins/test/fixtures/ask-offline.ts'
const [folder, ...qs] = process.argv.slice(2)
for (const q of qs) { const a = await ask(folder!, q); console.log(`\n### ${q}  [turns ${a.turns} calls ${a.calls.length} tokens ${a.tokens}]\n${a.text.slice(0,1500)}`) }
