import { ask } from './plugins/test/fixtures/ask-offline.ts'
const qs: [string,string][] = [
['router','Does router use lodash?'],['router','Which of its own files does index.js load?'],['router','What does lib/route.js get from lib/layer.js?'],['router','Which files would be affected by a change of lib/layer.js?'],['router','What does the Route class need to work?'],['router','Which built-in modules are used?'],['router','Which package turns paths into regular expressions?'],
['pgpass','Which module reads the file line by line?'],['pgpass','What does it take from split2?'],['pgpass','List the dependencies of lib/helper.js'],
['yargs','What is imported by build/lib/usage.js?'],['yargs','Which files rely on y18n?'],['yargs','Where does cliui come in?'],['yargs','Which peer dependencies does it have?'],['yargs','Who uses the function argsert?'],['yargs','which files call maybeAsyncResult'],
['cosmiconfig','Which dependency loads TypeScript files?'],['cosmiconfig','What does ExplorerSync inherit from?'],['cosmiconfig','What are the peer dependencies?'],['cosmiconfig','Which file imports js-yaml?'],['cosmiconfig','Who extends ExplorerBase?'],
['debug','What optional dependency does it have?'],['debug','Which Node modules does it use?'],['debug','Which file uses ms?'],['debug','what does common.js pull in?'],
['istanbul-reports','Which reports extend ReportBase?'],['istanbul-reports','lib/lcov/index.js builds on which other reports?'],['istanbul-reports','Which reporters use the FileWriter?'],
['fast-uri','What are the dev dependencies?'],['fast-uri','Which helper module does lib/schemes.js use?'],
['c8','What is v8-to-istanbul used for?'],['c8','On what does lib/is-cjs-esm-bridge.js depend?'],['c8','Who uses lib/source-map-from-file.js?'],['c8','Welche Pakete braucht c8 zur Laufzeit?'],
['eventsource-parser','Which files import errors.ts?'],['eventsource-parser','Does it have any dependency at run time?'],
['json-schema-to-ts','which version of ts-algebra'],['helmet','What does index.mjs import?'],['pg-protocol','Which modules does src/serializer.ts import?'],
]
for (const [p,q] of qs) { const {text}= await ask('/work/wt/offline/node_modules/'+p, q); console.log('\n##',p,'|',q,'\n'+text.split('\n').slice(0,6).map(l=>l.slice(0,170)).join('\n')) }
