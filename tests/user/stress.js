// What makes V8 walk its stacks: garbage collection, exceptions, stack traces, callbacks, workers.
const fs=require('fs'),zlib=require('zlib'),crypto=require('crypto');
let keep=[];
for(let i=0;i<200000;i++){keep.push({a:i,b:'x'+i,c:[i]}); if(keep.length>20000)keep=[];}
function deep(n){ if(!n) throw new Error('deep'); return deep(n-1)+1; }
let s=0; for(let i=0;i<500;i++){ try{deep(20);}catch(e){s+=e.stack.split('\n').length;} }
console.log(s);
console.log([3,1,2].sort((a,b)=>{ if(a===b) return 0; return a-b;}).map(x=>x*2).join());
console.log('aXbXc'.replace(/X/g,(m)=>{ new Error().stack; return '-';}));
console.log(JSON.stringify(JSON.parse('{"a":[1,2,3]}',(k,v)=>{ if(k==='1') return 9; return v;})));
console.log(crypto.createHash('md5').update(zlib.gzipSync(Buffer.alloc(100000,'ab'))).digest('hex').length);
try { fs.readFileSync('/nonexistent'); } catch(e) { console.log(e.code, e.stack.split('\n').length>2); }
process.on('exit',()=>console.log('exit', new Error().stack.length>10));
(async()=>{ await null; for(let i=0;i<100;i++) await new Promise(r=>setImmediate(r)); try { await Promise.reject(new Error('p')); } catch(e){ console.log(e.message);} 
 const {Worker}=require('worker_threads'); const w=new Worker('let k=[];for(let i=0;i<300000;i++){k.push([i]);if(k.length>9999)k=[];}require("worker_threads").parentPort.postMessage(new Error("w").stack.length>3)',{eval:true});
 w.on('message',m=>console.log('worker',m)); 
 const t=require('child_process').execFileSync('echo',['hi']).toString(); console.log(t.trim());
 if (global.gc) gc();
 const wm=new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0])); console.log(WebAssembly.Module.exports(wm).length);
})();
