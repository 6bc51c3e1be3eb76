//! Grounding by clingo, in this process.
//!
//! The program is handed over as text; rules come back through clingo's observer of ground
//! programs, symbols from its table of atoms, so that `#show` changes nothing. Nothing is solved:
//! the observer takes the place of clingo's solver. A run cannot be interrupted: under limits,
//! ground in a child process.
//!
//! This is one of the homes of `unsafe`, over clingo's C interface. The safe bindings are refused:
//! their observer makes slices of the null pointers that C++ hands over for empty heads and
//! bodies, and their control never frees its memory. Always: the two records that clingo keeps
//! pointers to outlive the control; no call-back panics, since C++ calls it; a slice is made only
//! of a pointer that is not null and a length above 0; and one thread is in clingo at a time, since
//! its table of symbols belongs to the process and two threads that ground at once crash in it.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use clingo_sys as sys;
use verdict::Watch;

mod models;

use super::observed::{Observed, Weighted};
use super::{GroundError, GroundProgram, Grounder, Message, message, outside};
use crate::places::{Outside, Places};

/// How many messages clingo may give before it stops.
const MESSAGE_LIMIT: c_uint = 50;

/// Held by the thread that is in clingo.
static IN_CLINGO: Mutex<()> = Mutex::new(());

/// The grounder in this process; threads wait for each other, and it looks at no limit but its own.
#[derive(Clone, Copy, Debug)]
pub struct Clingo {
    /// Ground rules at most.
    pub limit: usize,
}

impl Default for Clingo {
    fn default() -> Self {
        Self { limit: usize::MAX }
    }
}

impl Grounder for Clingo {
    fn ground(&self, program: &str, _watch: &Watch<'_>) -> Result<GroundProgram, GroundError> {
        let text = nothing_null(program)?;
        let parts = outside::parts(program);
        if !parts.is_empty() {
            return Err(GroundError::Program(parts));
        }
        run(program, &text, self.limit)
    }
}

/// The program as clingo takes it.
fn nothing_null(program: &str) -> Result<CString, GroundError> {
    CString::new(program).map_err(|null| {
        let place = Places::new(program).line_and_column(null.nul_position());
        let text = "the program holds a null character".into();
        GroundError::Program(vec![Message { place: Some(place), end: None, text }])
    })
}

fn run(program: &str, text: &CStr, limit: usize) -> Result<GroundProgram, GroundError> {
    // The lock guards no data of ours, so a panic under it has spoilt nothing.
    let _alone = IN_CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
    let mut log = Log::default();
    let mut observed = Observed::within(limit);
    // The control is dropped before the records that it points to.
    let grounded = Control::new(&mut log).and_then(|control| {
        control.observe(&mut observed)?;
        control.ground(text)?;
        control.symbols()
    });
    let symbols = match grounded {
        Ok(symbols) => symbols,
        Err(_) if observed.is_over() => return Err(GroundError::TooLarge { rules: limit }),
        Err(error) => return Err(log.failure(error)),
    };
    observed.finish(program, symbols)
}

/// What clingo says while it works.
#[derive(Default)]
struct Log {
    errors: Vec<Message>,
}

impl Log {
    fn failure(self, last: String) -> GroundError {
        let none = || vec![message::from_clingo(&last)];
        GroundError::Program(if self.errors.is_empty() { none() } else { self.errors })
    }
}

/// A control of clingo; freed on drop.
struct Control(*mut sys::clingo_control_t);

impl Drop for Control {
    fn drop(&mut self) {
        // SAFETY: the pointer came from clingo_control_new and is freed once.
        unsafe { sys::clingo_control_free(self.0) }
    }
}

/// The message of a call that failed.
fn failed() -> String {
    // SAFETY: clingo returns null or a text that lives until the next call.
    let text = unsafe { sys::clingo_error_message() };
    text_of(text).unwrap_or_else(|| "clingo failed and gave no reason".into())
}

fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: clingo's texts end with a null character.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

fn done(success: bool) -> Result<(), String> {
    if success { Ok(()) } else { Err(failed()) }
}

impl Control {
    /// The log must outlive the control.
    fn new(log: &mut Log) -> Result<Self, String> {
        Self::with(&[], log)
    }

    /// A control with options of clingo's command line.
    fn with(options: &[String], log: &mut Log) -> Result<Self, String> {
        let options: Vec<CString> =
            options.iter().filter_map(|option| CString::new(option.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|one| one.as_ptr()).collect();
        let mut control = ptr::null_mut();
        let data = ptr::from_mut(log).cast::<c_void>();
        // SAFETY: the options are a pointer with its length and outlive the call, which copies
        // them; `data` is what `take_message` takes.
        let success = unsafe {
            sys::clingo_control_new(
                pointers.as_ptr(),
                pointers.len(),
                Some(take_message),
                data,
                MESSAGE_LIMIT,
                &raw mut control,
            )
        };
        done(success)?;
        assert!(!control.is_null(), "clingo says that it made a control");
        Ok(Self(control))
    }

    /// The record must outlive the control.
    fn observe(&self, observed: &mut Observed) -> Result<(), String> {
        let data = ptr::from_mut(observed).cast::<c_void>();
        // SAFETY: clingo copies the table; `data` is what its functions take.
        done(unsafe { sys::clingo_control_register_observer(self.0, &OBSERVER, true, data) })
    }

    fn ground(&self, text: &CStr) -> Result<(), String> {
        let base = c"base";
        // SAFETY: all texts end with a null character and outlive the calls; a part has no
        // parameters, and no external function is called back.
        unsafe {
            done(sys::clingo_control_add(self.0, base.as_ptr(), ptr::null(), 0, text.as_ptr()))?;
            let part = sys::clingo_part { name: base.as_ptr(), params: ptr::null(), size: 0 };
            done(sys::clingo_control_ground(self.0, &raw const part, 1, None, ptr::null_mut()))
        }
    }

    /// The symbol of each atom with its literal, 0 for facts.
    fn symbols(&self) -> Result<Vec<(String, i32)>, String> {
        let mut atoms = ptr::null();
        let (mut at, mut end) = (0, 0);
        let mut found = Vec::new();
        // SAFETY: the table lives as long as the control; an iterator is used before its end only.
        unsafe {
            done(sys::clingo_control_symbolic_atoms(self.0, &raw mut atoms))?;
            done(sys::clingo_symbolic_atoms_begin(atoms, ptr::null(), &raw mut at))?;
            done(sys::clingo_symbolic_atoms_end(atoms, &raw mut end))?;
            loop {
                let mut over = false;
                done(sys::clingo_symbolic_atoms_iterator_is_equal_to(
                    atoms,
                    at,
                    end,
                    &raw mut over,
                ))?;
                if over {
                    return Ok(found);
                }
                let (mut symbol, mut fact, mut literal) = (0, false, 0);
                done(sys::clingo_symbolic_atoms_symbol(atoms, at, &raw mut symbol))?;
                done(sys::clingo_symbolic_atoms_is_fact(atoms, at, &raw mut fact))?;
                done(sys::clingo_symbolic_atoms_literal(atoms, at, &raw mut literal))?;
                if fact || literal != 0 {
                    found.push((symbol_text(symbol)?, if fact { 0 } else { literal }));
                }
                done(sys::clingo_symbolic_atoms_next(atoms, at, &raw mut at))?;
            }
        }
    }
}

fn symbol_text(symbol: sys::clingo_symbol_t) -> Result<String, String> {
    let mut size = 0;
    // SAFETY: the buffer has the size that clingo asks for, its closing null character included.
    let mut text = unsafe {
        done(sys::clingo_symbol_to_string_size(symbol, &raw mut size))?;
        let mut text = vec![0u8; size];
        done(sys::clingo_symbol_to_string(symbol, text.as_mut_ptr().cast(), size))?;
        text
    };
    text.pop();
    String::from_utf8(text).map_err(|_| "clingo gave a symbol that is no UTF-8".into())
}

/// What clingo calls with a message.
unsafe extern "C" fn take_message(
    code: sys::clingo_warning_t,
    text: *const c_char,
    data: *mut c_void,
) {
    // SAFETY: `data` is the log given to clingo_control_new, which nothing else borrows while
    // clingo runs.
    let log = unsafe { &mut *data.cast::<Log>() };
    // Only errors count: that an atom has no rule is normal in programs cut to a horizon.
    if code == sys::clingo_warning_e_clingo_warning_runtime_error as c_int {
        log.errors.extend(text_of(text).map(|text| message::from_clingo(&text)));
    }
}

/// A slice that C++ gave; empty where the pointer may be null.
///
/// # Safety
/// A length above 0 comes with a pointer to so many values that live while the slice is used.
unsafe fn slice<'a, T>(start: *const T, length: usize) -> &'a [T] {
    if length == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: by the contract above.
    unsafe { std::slice::from_raw_parts(start, length) }
}

/// The record behind a call of the observer.
///
/// # Safety
/// `data` is what was given with the observer, and nothing else borrows it while clingo runs.
unsafe fn record<'a>(data: *mut c_void) -> &'a mut Observed {
    // SAFETY: by the contract above.
    unsafe { &mut *data.cast::<Observed>() }
}

unsafe extern "C" fn rule(
    choice: bool,
    heads: *const sys::clingo_atom_t,
    heads_len: usize,
    body: *const sys::clingo_literal_t,
    body_len: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: clingo gives pointers with their lengths, and the data registered with it.
    unsafe {
        record(data).rule(choice, slice(heads, heads_len), slice(body, body_len));
        goes_on(record(data))
    }
}

/// What an observer answers: where it says no, clingo stops grounding.
fn goes_on(observed: &Observed) -> bool {
    if observed.is_over() {
        // SAFETY: the text ends with a null character; clingo copies it.
        unsafe {
            sys::clingo_set_error(
                sys::clingo_error_e_clingo_error_runtime as c_int,
                c"too many ground rules".as_ptr(),
            );
        }
    }
    !observed.is_over()
}

unsafe extern "C" fn weight_rule(
    choice: bool,
    heads: *const sys::clingo_atom_t,
    heads_len: usize,
    bound: sys::clingo_weight_t,
    body: *const sys::clingo_weighted_literal_t,
    body_len: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: clingo gives pointers with their lengths, and the data registered with it.
    unsafe {
        let parts = slice(body, body_len).iter();
        let parts = parts.map(|part| Weighted { literal: part.literal, weight: part.weight });
        let parts: Vec<Weighted> = parts.collect();
        record(data).weight_rule(choice, slice(heads, heads_len), bound, &parts);
        goes_on(record(data))
    }
}

/// Defines functions that only note that something outside the class was met.
macro_rules! refused {
    ($($name:ident($($arg:ident: $kind:ty),*) $what:ident;)*) => {
        $(unsafe extern "C" fn $name($($arg: $kind,)* data: *mut c_void) -> bool {
            $(let _ = $arg;)*
            // SAFETY: the data registered with the observer.
            unsafe { record(data).refuse(Outside::$what) }
            true
        })*
    };
}

refused! {
    minimize(priority: c_int, parts: *const sys::clingo_weighted_literal_t, len: usize)
        Optimisation;
    project(atoms: *const sys::clingo_atom_t, len: usize) Projection;
    external(atom: sys::clingo_atom_t, kind: sys::clingo_external_type_t)
        External;
    heuristic(
        atom: sys::clingo_atom_t, kind: sys::clingo_heuristic_type_t, bias: c_int,
        priority: c_uint, condition: *const sys::clingo_literal_t, len: usize
    ) Heuristic;
    acyc_edge(from: c_int, to: c_int, condition: *const sys::clingo_literal_t, len: usize)
        Edge;
    theory_atom(
        atom: sys::clingo_id_t, term: sys::clingo_id_t, elements: *const sys::clingo_id_t,
        len: usize
    ) Theory;
    theory_atom_with_guard(
        atom: sys::clingo_id_t, term: sys::clingo_id_t, elements: *const sys::clingo_id_t,
        len: usize, operator: sys::clingo_id_t, right: sys::clingo_id_t
    ) Theory;
}

static OBSERVER: sys::clingo_ground_program_observer = sys::clingo_ground_program_observer {
    init_program: None,
    begin_step: None,
    end_step: None,
    rule: Some(rule),
    weight_rule: Some(weight_rule),
    minimize: Some(minimize),
    project: Some(project),
    output_atom: None,
    output_term: None,
    external: Some(external),
    assume: None,
    heuristic: Some(heuristic),
    acyc_edge: Some(acyc_edge),
    theory_term_number: None,
    theory_term_string: None,
    theory_term_compound: None,
    theory_element: None,
    theory_atom: Some(theory_atom),
    theory_atom_with_guard: Some(theory_atom_with_guard),
};
