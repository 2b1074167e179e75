// What all views share comes first: the styles of a view change it.
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { showUnseen } from './visible.ts'

showUnseen()
render(<App />, document.getElementById('app') as HTMLElement)
