import { ask } from './plugins/test/fixtures/ask-offline.ts'
const qs: [string,string][] = [
['yaml','Give me the big picture of the code: which parts are there?'],['smol-toml','How is the package structured?'],['hdr-histogram-js','Explain the architecture please'],['superjson','Describe how the modules fit together'],['iconv-lite','How is the code organised?'],['picomatch','Architecture?'],['pg','How do Client, Query and Connection work together?'],['postcss','Which roles do Input, Parser, Processor and LazyResult play, and how are they connected?'],['cli-table3','How does a Cell get to know its width?'],
]
for (const [p,q] of qs) { const {text}= await ask('/work/wt/offline/node_modules/'+p, q); console.log('\n##',p,'|',q,'\n'+text.split('\n').slice(0,40).join('\n')) }
