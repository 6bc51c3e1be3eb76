//! Files of frames: packed runs of numbers, each under a checksum of its own.
//!
//! A frame is a head of 32 bytes (see [`Head`]) and its packed numbers. A file begins with
//! [`MAGIC`] and ends with an empty frame of the tag [`END`] that holds the number of frames, so
//! that a file that was cut is told from a whole one. A [`FrameWriter`] packs and writes on a
//! thread of its own, a few frames behind its owner; the file lies aside until it is finished:
//! forced to the disk, then renamed in one step, as in [`crate::write_file`].
//!
//! Always: a file under its own name was written whole; what [`FrameFile::read`] gives is what was
//! written, or an error. A scratch file has no name, and is gone when the process ends, however.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::file::{checksum, open_aside, sync_folder};
use crate::numbers::{Coding, Number, pack, unpack};

/// The first bytes of a file of frames: its name and the version of its form.
const MAGIC: &[u8; 16] = b"oddsmith frames1";
/// Tag of the last frame of a file.
const END: u32 = u32::MAX;
const HEAD_BYTES: usize = 32;
/// Frames that a writer may be behind: what its owner does while a file is forced to the disk.
const BEHIND: usize = 16;
/// Written bytes after which a file is forced to the disk on the way, so that the end is quick.
const SYNC_BYTES: u64 = 16 << 20;

/// Where a frame lies, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What its owner calls its kind.
    pub tag: u32,
    /// How many numbers it holds.
    pub count: u32,
    /// Where its head begins.
    at: u64,
    /// Bytes of the packed numbers.
    bytes: u32,
    /// Checksum of its head, and so of its numbers.
    sum: u64,
}

impl Frame {
    /// Bytes that it takes.
    pub fn size(&self) -> u64 {
        HEAD_BYTES as u64 + u64::from(self.bytes)
    }

    /// A checksum of what it holds: its tag, its numbers, how they are packed.
    pub fn sum(&self) -> u64 {
        self.sum
    }
}

/// A frame's head: checksum of the rest of the head, checksum of the packed numbers, then bytes,
/// tag, count, and stride (0 for numbers as they are).
struct Head([u8; HEAD_BYTES]);

impl Head {
    fn new(tag: u32, count: u32, coding: Coding, packed: &[u8]) -> Self {
        let stride = if let Coding::Steps(stride) = coding { u32::from(stride) } else { 0 };
        let mut head = [0; HEAD_BYTES];
        let fields = [packed.len() as u32, tag, count, stride];
        for (place, field) in fields.iter().enumerate() {
            head[16 + 4 * place..20 + 4 * place].copy_from_slice(&field.to_le_bytes());
        }
        head[8..16].copy_from_slice(&checksum(packed).to_le_bytes());
        let sum = checksum(&head[8..]);
        head[..8].copy_from_slice(&sum.to_le_bytes());
        Self(head)
    }

    fn field(&self, place: usize) -> u32 {
        let from = 16 + 4 * place;
        u32::from_le_bytes(self.0[from..from + 4].try_into().expect("four bytes"))
    }

    fn is_sound(&self) -> bool {
        self.0[..8] == checksum(&self.0[8..]).to_le_bytes()
    }

    fn fits(&self, packed: &[u8]) -> bool {
        self.0[8..16] == checksum(packed).to_le_bytes()
    }

    fn coding(&self) -> Coding {
        match self.field(3) {
            0 => Coding::Plain,
            stride => Coding::Steps(stride as u16),
        }
    }

    fn frame(&self, at: u64) -> Frame {
        let sum = u64::from_le_bytes(self.0[..8].try_into().expect("eight bytes"));
        Frame { tag: self.field(1), count: self.field(2), at, bytes: self.field(0), sum }
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Frames that are finished: a file under its name, or a part of a scratch file.
#[derive(Clone, Debug)]
pub struct FrameFile {
    file: Arc<Mutex<File>>,
}

impl FrameFile {
    /// Opens a file and finds its frames. Their numbers are checked when they are read.
    ///
    /// # Errors
    /// As the system reports them, and `InvalidData` where the file is not whole.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<Frame>)> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut magic = [0; MAGIC.len()];
        let read = file.read_exact(&mut magic);
        if read.is_err() || magic != *MAGIC {
            return Err(damaged("it is not a file of frames of this version"));
        }
        let mut frames = Vec::new();
        let mut at = MAGIC.len() as u64;
        loop {
            let mut head = Head([0; HEAD_BYTES]);
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut head.0).map_err(|_| damaged("its end is missing"))?;
            let frame = head.frame(at);
            if !head.is_sound() {
                return Err(damaged("a frame's head does not fit its checksum"));
            }
            at += frame.size();
            if at > length {
                return Err(damaged("its end is missing"));
            }
            if frame.tag == END {
                let end = Head::new(END, frames.len() as u32, Coding::Plain, &[]);
                let whole = at == length && head.0 == end.0;
                let done = (Self { file: Arc::new(Mutex::new(file)) }, frames);
                return if whole { Ok(done) } else { Err(damaged("its last frame is damaged")) };
            }
            frames.push(frame);
        }
    }

    /// Opens a file whose frames are known.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn reopen(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Arc::new(Mutex::new(File::open(path)?)) })
    }

    /// Appends the numbers of a frame to `out`.
    ///
    /// # Errors
    /// As the system reports them, and `InvalidData` where the bytes are not those written.
    pub fn read<T: Number>(&self, frame: &Frame, out: &mut Vec<T>) -> io::Result<()> {
        let (head, packed) = self.bytes(frame)?;
        if unpack(&packed, frame.count as usize, head.coding(), out) {
            Ok(())
        } else {
            Err(damaged("a frame does not hold its numbers"))
        }
    }

    /// Appends the numbers of a frame to `out`, and refuses bytes that the writer would not write
    /// for them under this coding, whatever their checksums say.
    ///
    /// # Errors
    /// As for [`FrameFile::read`].
    pub fn read_strictly<T: Number>(
        &self,
        frame: &Frame,
        coding: Coding,
        out: &mut Vec<T>,
    ) -> io::Result<()> {
        let (head, packed) = self.bytes(frame)?;
        let from = out.len();
        if unpack(&packed, frame.count as usize, coding, out) {
            let mut again = Vec::with_capacity(packed.len() + 8);
            pack(&out[from..], coding, &mut again);
            if again == packed && head.0 == Head::new(frame.tag, frame.count, coding, &packed).0 {
                return Ok(());
            }
        }
        Err(damaged("a frame is not as it is written"))
    }

    /// Reads a frame only to see whether its bytes are those written.
    ///
    /// # Errors
    /// As for [`FrameFile::read`].
    pub fn verify(&self, frame: &Frame) -> io::Result<()> {
        self.bytes(frame).map(drop)
    }

    fn bytes(&self, frame: &Frame) -> io::Result<(Head, Vec<u8>)> {
        let mut head = Head([0; HEAD_BYTES]);
        let mut packed = vec![0; frame.bytes as usize];
        {
            let mut file = self.file.lock().map_err(|_| io::Error::other("a reader panicked"))?;
            file.seek(SeekFrom::Start(frame.at))?;
            file.read_exact(&mut head.0)?;
            file.read_exact(&mut packed)?;
        }
        let sound = head.is_sound() && head.fits(&packed) && head.frame(frame.at) == *frame;
        if sound { Ok((head, packed)) } else { Err(damaged("a frame does not fit its checksum")) }
    }
}

/// A file without a name for what only this process needs.
#[derive(Debug)]
pub struct Scratch {
    frames: FrameFile,
    length: u64,
}

impl Scratch {
    /// A scratch file in a folder, which is made where it is missing.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let (path, file) = open_aside(&folder.join("oddsmith-scratch"))?;
        // Where an open file cannot lose its name it keeps it; all else works the same.
        fs::remove_file(&path).ok();
        Ok(Self { frames: FrameFile { file: Arc::new(Mutex::new(file)) }, length: 0 })
    }

    /// Bytes written.
    pub fn bytes(&self) -> u64 {
        self.length
    }

    /// What reads the frames.
    pub fn frames(&self) -> FrameFile {
        self.frames.clone()
    }
}

/// Where a writer writes.
#[derive(Debug)]
enum Target {
    /// A file aside, and the name that it gets.
    Named { aside: PathBuf, path: PathBuf },
    /// A part of a scratch file.
    Nameless,
}

enum Job {
    Write(u32, Coding, Numbers),
    /// Forget all frames after so many.
    Cut(usize),
    Finish,
}

/// Numbers on their way to the disk.
#[derive(Debug)]
enum Numbers {
    Halves(Vec<u32>),
    Words(Vec<u64>),
}

/// A number that frames can hold.
pub trait Framed: Number {
    #[doc(hidden)]
    fn hand_over(numbers: &[Self], used: &mut UsedNumbers) -> FrameNumbers;
}

/// Numbers on their way to a frame.
pub struct FrameNumbers(Numbers);

/// Memory of numbers that were written, which serves the next ones: fresh memory costs more than
/// what is copied into it.
#[derive(Debug, Default)]
pub struct UsedNumbers {
    halves: Vec<Vec<u32>>,
    words: Vec<Vec<u64>>,
}

impl UsedNumbers {
    fn take_back(&mut self, numbers: Numbers) {
        match numbers {
            Numbers::Halves(numbers) => self.halves.push(numbers),
            Numbers::Words(numbers) => self.words.push(numbers),
        }
    }
}

/// The numbers in memory that was used before, if there is some.
fn copied<T: Number>(numbers: &[T], used: Option<Vec<T>>) -> Vec<T> {
    let mut copied = used.unwrap_or_default();
    copied.clear();
    copied.extend_from_slice(numbers);
    copied
}

impl Framed for u32 {
    fn hand_over(numbers: &[Self], used: &mut UsedNumbers) -> FrameNumbers {
        FrameNumbers(Numbers::Halves(copied(numbers, used.halves.pop())))
    }
}

impl Framed for u64 {
    fn hand_over(numbers: &[Self], used: &mut UsedNumbers) -> FrameNumbers {
        FrameNumbers(Numbers::Words(copied(numbers, used.words.pop())))
    }
}

type Written = io::Result<(FrameFile, Vec<Frame>, u64)>;

/// Writes frames on a thread of its own.
///
/// Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub struct FrameWriter {
    jobs: Option<SyncSender<Job>>,
    done: Receiver<Numbers>,
    used: UsedNumbers,
    thread: Option<JoinHandle<Written>>,
    frames: usize,
    bytes: Arc<AtomicU64>,
}

impl FrameWriter {
    /// Begins a file that gets its name when it is finished.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (aside, file) = open_aside(path)?;
        let frames = FrameFile { file: Arc::new(Mutex::new(file)) };
        Ok(Self::start(frames, 0, Target::Named { aside, path: path.to_owned() }))
    }

    /// Goes on at the end of a scratch file.
    pub fn scratch(scratch: &Scratch) -> Self {
        Self::start(scratch.frames(), scratch.length, Target::Nameless)
    }

    fn start(frames: FrameFile, at: u64, target: Target) -> Self {
        let (jobs, queue) = sync_channel(BEHIND);
        let (back, done) = channel();
        let bytes = Arc::new(AtomicU64::new(0));
        let output = Output {
            frames,
            index: Vec::new(),
            from: at,
            at,
            synced: at,
            target,
            packed: Vec::new(),
            bytes: Arc::clone(&bytes),
        };
        let thread = std::thread::spawn(move || output.run(&queue, &back));
        let (jobs, thread, used) = (Some(jobs), Some(thread), UsedNumbers::default());
        Self { jobs, done, used, thread, frames: 0, bytes }
    }

    /// Appends a frame. It is written soon, or an error is told by this or a later call.
    ///
    /// # Errors
    /// As the system reported them for this or an earlier frame.
    ///
    /// # Panics
    /// When a frame has 2^28 numbers or more; fewer always fit, packed, in the 4 GiB that a head can
    /// tell of.
    pub fn write<T: Framed>(&mut self, tag: u32, coding: Coding, numbers: &[T]) -> io::Result<()> {
        assert!(tag != END, "the last tag is the writer's own");
        assert!(numbers.len() < 1 << 28, "a frame is short");
        self.frames += 1;
        self.done.try_iter().for_each(|numbers| self.used.take_back(numbers));
        let numbers = T::hand_over(numbers, &mut self.used).0;
        self.send(Job::Write(tag, coding, numbers))
    }

    /// Number of frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Bytes written by now; what is on its way does not count.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Forgets all frames after the first so many.
    ///
    /// # Errors
    /// As for [`FrameWriter::write`].
    ///
    /// # Panics
    /// When there are fewer.
    pub fn cut(&mut self, frames: usize) -> io::Result<()> {
        assert!(frames <= self.frames, "a file is cut within its length");
        self.frames = frames;
        self.send(Job::Cut(frames))
    }

    fn send(&mut self, job: Job) -> io::Result<()> {
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if sent { Ok(()) } else { Err(self.failure()) }
    }

    /// Why the thread ended early.
    fn failure(&mut self) -> io::Error {
        self.jobs = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => error,
            _ => io::Error::other("a file was not written to its end"),
        }
    }

    /// Waits until all is written: under its own name and on the disk, or in the scratch file.
    ///
    /// # Errors
    /// As the system reports them; the name then has what it had before.
    pub fn finish(mut self, scratch: Option<&mut Scratch>) -> io::Result<(FrameFile, Vec<Frame>)> {
        self.send(Job::Finish)?;
        let ended = self.thread.take().map(JoinHandle::join);
        let Some(Ok(written)) = ended else {
            return Err(io::Error::other("a file was not written to its end"));
        };
        let (file, frames, length) = written?;
        assert_eq!(frames.len(), self.frames, "every frame was written");
        if let Some(scratch) = scratch {
            scratch.length = length;
        }
        Ok((file, frames))
    }
}

impl Drop for FrameWriter {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // The thread takes away what it began; there is nobody to tell of a failure.
            thread.join().map(drop).ok();
        }
    }
}

/// The writing end, on its thread.
struct Output {
    frames: FrameFile,
    index: Vec<Frame>,
    /// Where it began, where it is, and up to where it was forced to the disk.
    from: u64,
    at: u64,
    synced: u64,
    target: Target,
    packed: Vec<u8>,
    /// What the owner sees of `at - from`.
    bytes: Arc<AtomicU64>,
}

impl Output {
    fn run(mut self, queue: &Receiver<Job>, back: &Sender<Numbers>) -> Written {
        let outcome = self.work(queue, back);
        match outcome {
            Ok(true) => Ok((self.frames, self.index, self.at)),
            ended => {
                if let Target::Named { aside, .. } = &self.target {
                    // The first failure is the one to report.
                    fs::remove_file(aside).ok();
                }
                Err(ended.err().unwrap_or_else(|| io::Error::other("given up")))
            }
        }
    }

    /// Whether it came to its end.
    fn work(&mut self, queue: &Receiver<Job>, back: &Sender<Numbers>) -> io::Result<bool> {
        if matches!(self.target, Target::Named { .. }) {
            self.append(MAGIC)?;
        }
        for job in queue {
            match job {
                Job::Write(tag, coding, numbers) => {
                    match &numbers {
                        Numbers::Halves(numbers) => self.put(tag, coding, numbers)?,
                        Numbers::Words(numbers) => self.put(tag, coding, numbers)?,
                    }
                    // The owner may be waiting for the end, and need no memory any more.
                    back.send(numbers).ok();
                }
                Job::Cut(frames) => self.cut(frames)?,
                Job::Finish => return self.finish().map(|()| true),
            }
        }
        Ok(false)
    }

    fn put<T: Number>(&mut self, tag: u32, coding: Coding, numbers: &[T]) -> io::Result<()> {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        packed.resize(HEAD_BYTES, 0);
        pack(numbers, coding, &mut packed);
        let head = Head::new(tag, numbers.len() as u32, coding, &packed[HEAD_BYTES..]);
        packed[..HEAD_BYTES].copy_from_slice(&head.0);
        self.index.push(head.frame(self.at));
        let written = self.append(&packed);
        self.packed = packed;
        written?;
        if matches!(self.target, Target::Named { .. }) && self.at - self.synced >= SYNC_BYTES {
            self.synced = self.at;
            self.with_file(|file| file.sync_data())?;
        }
        Ok(())
    }

    fn with_file(&self, work: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let mut file =
            self.frames.file.lock().map_err(|_| io::Error::other("a reader panicked"))?;
        work(&mut file)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let at = self.at;
        self.with_file(|file| {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(bytes)
        })?;
        self.at += bytes.len() as u64;
        self.bytes.store(self.at - self.from, Ordering::Relaxed);
        Ok(())
    }

    fn cut(&mut self, frames: usize) -> io::Result<()> {
        let Some(first) = self.index.get(frames) else { return Ok(()) };
        self.at = first.at;
        self.synced = self.synced.min(self.at);
        self.index.truncate(frames);
        let at = self.at;
        self.with_file(|file| file.set_len(at))
    }

    fn finish(&mut self) -> io::Result<()> {
        let Target::Named { aside, path } = &self.target else { return Ok(()) };
        let (aside, path) = (aside.clone(), path.clone());
        let end = Head::new(END, self.index.len() as u32, Coding::Plain, &[]);
        self.append(&end.0)?;
        self.with_file(|file| file.sync_all())?;
        fs::rename(&aside, &path)?;
        sync_folder(&path);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::testing::Folder;

    #[test]
    fn frames_come_back_and_a_file_appears_when_it_is_whole() {
        let folder = Folder::new("frames");
        let path = folder.0.join("one");
        let mut writer = FrameWriter::create(&path).expect("begun");
        writer.write(1, Coding::Plain, &[1u64, 2, 3]).expect("written");
        writer.write(2, Coding::Steps(1), &[9u32, 10, 8]).expect("written");
        writer.write(2, Coding::Steps(1), &[0u32; 1000]).expect("written");
        writer.cut(2).expect("cut");
        writer.write(3, Coding::Steps(2), &[5u64, 6, 7, 8]).expect("written");
        assert!(!path.exists());
        let (_, index) = writer.finish(None).expect("finished");
        assert_eq!(folder.names(), ["one"]);
        let (file, frames) = FrameFile::open(&path).expect("whole");
        assert_eq!(frames, index);
        assert_eq!(frames.iter().map(|frame| frame.tag).collect::<Vec<_>>(), [1, 2, 3]);
        let (mut words, mut halves): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
        file.read(&frames[0], &mut words).expect("sound");
        file.read(&frames[2], &mut words).expect("sound");
        file.read(&frames[1], &mut halves).expect("sound");
        assert_eq!((words, halves), (vec![1, 2, 3, 5, 6, 7, 8], vec![9, 10, 8]));
        let two = folder.0.join("two");
        let mut writer = FrameWriter::create(&two).expect("begun");
        writer.write(1, Coding::Plain, &[1u64, 2, 3]).expect("written");
        writer.write(2, Coding::Steps(1), &[9u32, 10, 7]).expect("written");
        let (_, others) = writer.finish(None).expect("finished");
        assert_eq!(frames[0].sum(), others[0].sum(), "the same numbers");
        assert_ne!(frames[1].sum(), others[1].sum(), "other numbers");
    }

    #[test]
    fn a_writer_that_is_dropped_leaves_nothing() {
        let folder = Folder::new("dropped");
        let mut writer = FrameWriter::create(&folder.0.join("one")).expect("begun");
        writer.write(1, Coding::Plain, &[1u64]).expect("written");
        drop(writer);
        assert!(folder.names().is_empty());
        assert!(FrameWriter::create(&folder.0.join("none/one")).is_err());
    }

    #[test]
    fn every_cut_and_every_flipped_bit_shows() {
        let folder = Folder::new("damage");
        let path = folder.0.join("one");
        let mut writer = FrameWriter::create(&path).expect("begun");
        writer.write(1, Coding::Plain, &[77u64, 2]).expect("written");
        writer.write(2, Coding::Steps(1), &[300u32, 4]).expect("written");
        writer.finish(None).expect("finished");
        let bytes = fs::read(&path).expect("read");
        let sound = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            let Ok((file, frames)) = FrameFile::open(&path) else { return false };
            let (mut words, mut halves): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
            frames.len() == 2
                && file.read(&frames[0], &mut words).is_ok()
                && file.read(&frames[1], &mut halves).is_ok()
        };
        assert!(sound(&bytes));
        for cut in 0..bytes.len() {
            assert!(!sound(&bytes[..cut]), "cut at {cut}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!sound(&flipped), "bit {bit}");
        }
    }

    #[test]
    fn a_strict_reader_takes_one_coding_and_one_spelling() {
        let folder = Folder::new("strict");
        let path = folder.0.join("one");
        let mut writer = FrameWriter::create(&path).expect("begun");
        writer.write(1, Coding::Steps(2), &[300u64, 4, 301, 5]).expect("written");
        let (file, frames) = writer.finish(None).expect("finished");
        let mut words: Vec<u64> = Vec::new();
        file.read_strictly(&frames[0], Coding::Steps(2), &mut words).expect("as written");
        assert_eq!(words, [300, 4, 301, 5]);
        assert!(file.read_strictly(&frames[0], Coding::Plain, &mut words).is_err());
        // The same number with a zero byte more, under a checksum of its own.
        let mut bytes = fs::read(&path).expect("read");
        let from = MAGIC.len();
        let packed = [2u8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let head = Head::new(1, 1, Coding::Plain, &packed);
        let end = bytes.split_off(bytes.len() - HEAD_BYTES);
        bytes.truncate(from);
        bytes.extend(head.0);
        bytes.extend(packed);
        bytes.extend(end);
        fs::write(&path, bytes).expect("written");
        let (file, frames) = FrameFile::open(&path).expect("whole");
        words.clear();
        file.read(&frames[0], &mut words).expect("sound");
        assert_eq!(words, [9]);
        assert!(file.read_strictly(&frames[0], Coding::Plain, &mut words).is_err());
    }

    #[test]
    fn scratch_has_no_name_and_goes_on_where_it_ended() {
        let folder = Folder::new("scratch");
        let mut scratch = Scratch::new(&folder.0).expect("begun");
        #[cfg(unix)]
        assert!(folder.names().is_empty());
        let mut all = Vec::new();
        for round in 0..3u64 {
            let mut writer = FrameWriter::scratch(&scratch);
            writer.write(1, Coding::Plain, &[round; 5]).expect("written");
            let (file, frames) = writer.finish(Some(&mut scratch)).expect("finished");
            all.extend(frames.into_iter().map(|frame| (file.clone(), frame)));
        }
        let mut words: Vec<u64> = Vec::new();
        all.iter().for_each(|(file, frame)| file.read(frame, &mut words).expect("sound"));
        assert_eq!(words, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
        assert_eq!(scratch.bytes(), all.iter().map(|(_, frame)| frame.size()).sum::<u64>());
    }
}
