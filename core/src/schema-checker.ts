/** TypeBox's checker and compiler, apart from everything else because they are loaded when the first value is checked. */
export { Check, Compile, Errors, Meta } from 'typebox/schema'
